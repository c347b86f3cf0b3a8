"""Layers that bring inputs to a common scale."""
