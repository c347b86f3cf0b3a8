"""Tests of libraries."""

from tapeflow.__internal__.test import combinations as combinations
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
