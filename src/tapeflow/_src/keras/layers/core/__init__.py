"""Core layers: dense, embedding, input, wrappers."""
