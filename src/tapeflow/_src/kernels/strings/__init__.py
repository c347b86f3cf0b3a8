"""Kernels for arrays of strings: hashing, encoding, lookup."""
