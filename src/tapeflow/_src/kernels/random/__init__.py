"""Random number kernels: Philox and the distributions built on it."""
