"""Tensors composed of tensors: ragged, sparse, structured, arrays, extension types."""
