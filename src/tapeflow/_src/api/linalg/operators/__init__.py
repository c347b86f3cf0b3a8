"""Matrices known by what they do. Importing `algebra` registers how they combine."""

from tapeflow._src.api.linalg.operators import algebra as algebra
