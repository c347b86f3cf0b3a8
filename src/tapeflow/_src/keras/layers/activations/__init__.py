"""Activations that are layers of their own."""
