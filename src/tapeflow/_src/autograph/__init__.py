"""Conversion of Python control flow into ops."""
