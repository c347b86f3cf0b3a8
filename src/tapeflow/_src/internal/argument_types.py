"""Names for the kinds of arguments, for annotations of Keras."""

from __future__ import annotations

from tapeflow._src.core.types import Array as Array
from tapeflow._src.core.types import Axis as Axis
from tapeflow._src.core.types import DTypeLike as DTypeLike
from tapeflow._src.core.types import Identifier as Identifier
from tapeflow._src.core.types import ShapeLike as ShapeLike
from tapeflow._src.core.types import TensorLike as TensorLike
