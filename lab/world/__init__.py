"""A small invented web on loopback with its search engines, for offline demonstrations and tests."""

from lab.world.facts import Expected, WorldClaim
from lab.world.faults import Fault, Faults
from lab.world.server import World

__all__ = ["Expected", "Fault", "Faults", "World", "WorldClaim"]
