"""Tests of libraries."""

from tapeflow.__internal__.test import combinations as combinations
