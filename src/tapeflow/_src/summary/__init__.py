"""Summaries and event files."""
