"""Draw the icons: a magnifying glass with a tick in it, on a blue tile. `python extension/icons/draw.py` writes them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from math import hypot
from pathlib import Path

SIZES = (16, 32, 48, 128)
FINE = 4
"""Each pixel is the mean of FINE x FINE samples, so that edges are smooth."""
BLUE, WHITE = (29, 78, 216), (255, 255, 255)
Point = tuple[float, float]
TICK: tuple[Point, ...] = ((0.33, 0.44), (0.41, 0.52), (0.55, 0.36))
HANDLE: tuple[Point, ...] = ((0.61, 0.61), (0.80, 0.80))


def sample(x: float, y: float) -> tuple[int, int, int, int]:
    """The colour at a point of the unit square, as red, green, blue and opacity (0 to 255)."""
    if not _inside_tile(x, y):
        return (0, 0, 0, 0)
    ring = abs(hypot(x - 0.43, y - 0.43) - 0.25) < 0.045
    strokes = _near(x, y, HANDLE, 0.06) or _near(x, y, TICK, 0.042)
    return (*(WHITE if ring or strokes else BLUE), 255)


def _inside_tile(x: float, y: float, radius: float = 0.2) -> bool:
    dx, dy = max(radius - x, x - (1 - radius), 0), max(radius - y, y - (1 - radius), 0)
    return hypot(dx, dy) <= radius


def _near(x: float, y: float, path: Sequence[Point], width: float) -> bool:
    """Whether a point lies within `width` of a line through the points of `path`."""
    for (ax, ay), (bx, by) in zip(path, path[1:], strict=False):
        along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
        t = min(1.0, max(0.0, along))
        if hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)) <= width:
            return True
    return False


def png(size: int) -> bytes:
    """The icon of `size` x `size` pixels as a PNG file."""
    rows = b"".join(b"\0" + b"".join(_pixel(column, row, size) for column in range(size)) for row in range(size))
    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def _pixel(column: int, row: int, size: int) -> bytes:
    """The mean of a pixel's samples; colours are weighed by their opacity."""
    steps = [(index + 0.5) / FINE for index in range(FINE)]
    samples = [sample((column + dx) / size, (row + dy) / size) for dy in steps for dx in steps]
    opacity = sum(alpha for *_, alpha in samples)
    if not opacity:
        return bytes(4)
    colour = [round(sum(one[channel] * one[3] for one in samples) / opacity) for channel in range(3)]
    return bytes([*colour, round(opacity / len(samples))])


if __name__ == "__main__":
    for size in SIZES:
        Path(__file__).with_name(f"{size}.png").write_bytes(png(size))
