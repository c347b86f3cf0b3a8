"""Layers that reshape, pad, crop or repeat values."""
