"""Tuples of types for `isinstance`: Python's and NumPy's numbers, text and bytes."""

from __future__ import annotations

import numbers

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)
