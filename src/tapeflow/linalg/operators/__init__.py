"""Matrices known by what they do. Importing `algebra` registers how they combine."""

from tapeflow.linalg.operators import algebra as algebra
