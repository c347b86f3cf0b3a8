"""Layers that move values, and change none."""
