"""Warnings that point to the line of the user's program, however deep in Keras they arise."""

from __future__ import annotations

from tapeflow._src.core.source import warn_user as warn_user
