"""Dropout, noise and activity regularization layers."""
