"""The starter pack: several thousand plain statements about countries, elements, units and the Earth, made from public-domain figures.

`python -m kb starter --data DIR` builds it; SOURCES.md says where every figure comes from.
"""
