"""Kernels that draw random numbers: Philox and the distributions made from it."""
