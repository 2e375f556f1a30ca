"""Encoders in GGUF: texts in, vectors or the labels of a classification head out."""
