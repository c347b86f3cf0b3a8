"""Layers that make raw data ready for a model."""
