"""Layers that are noisy while a model is trained, or that penalise what passes them."""
