"""Warnings that point to the line of the user's program, for Keras and what is above it."""

from __future__ import annotations

from tapeflow._src.core.source import warn_user as warn_user
