"""Functions whose large calls run as one program."""

from __future__ import annotations

from tapeflow._src.eager.fused import forget as forget
from tapeflow._src.eager.fused import fused as fused
