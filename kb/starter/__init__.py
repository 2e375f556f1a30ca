"""The starter pack: several thousand plain statements made from public-domain figures.

They are about countries, elements, units and the Earth. `python -m lab.starter_generator --data DIR` builds the pack;
SOURCES.md gives the source of every figure.
"""
