"""Layers that prepare and augment images."""
