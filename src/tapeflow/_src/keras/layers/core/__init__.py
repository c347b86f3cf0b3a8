"""Layers that most models have."""
