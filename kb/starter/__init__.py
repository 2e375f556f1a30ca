"""The starter pack: several thousand plain statements about countries, elements, units and the Earth, made from public-domain figures.

`python -m lab.starter_generator --data DIR` builds it; SOURCES.md says where every figure comes from.
"""
