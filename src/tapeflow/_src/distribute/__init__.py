"""Strategies and replica contexts."""
