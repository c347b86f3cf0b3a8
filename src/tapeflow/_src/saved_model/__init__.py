"""Saving and loading of SavedModels."""
