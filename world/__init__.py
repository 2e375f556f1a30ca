"""A small invented web on loopback, with the search engines that index it: for demonstrations and tests without the internet."""

from world.facts import Expected, WorldClaim
from world.faults import Fault, Faults
from world.server import World

__all__ = ["Expected", "Fault", "Faults", "World", "WorldClaim"]
