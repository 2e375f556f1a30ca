"""A small invented web on loopback, with the search engines that index it: for demonstrations and tests without the internet."""

from lab.world.facts import Expected, WorldClaim
from lab.world.faults import Fault, Faults
from lab.world.server import World

__all__ = ["Expected", "Fault", "Faults", "World", "WorldClaim"]
