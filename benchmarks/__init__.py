"""Benchmarks: every claim of speed is a case here, measured against TensorFlow in the same run."""
