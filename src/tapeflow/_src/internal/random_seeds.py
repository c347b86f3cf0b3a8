"""Choosing the seeds of stateful random ops from outside."""

from __future__ import annotations

from tapeflow._src.core.random_state import choose_seeds as choose_seeds
