"""Ragged tensors: how rows are described, indexed, broadcast, and what ops make of them."""
