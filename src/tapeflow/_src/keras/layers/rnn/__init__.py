"""Recurrent layers: cells, the layers that run them over sequences, and wrappers."""
