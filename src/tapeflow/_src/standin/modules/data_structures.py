"""`tensorflow.python.trackable.data_structures`: containers that checkpoints follow."""

from __future__ import annotations

from tapeflow._src.core.trackable import DictWrapper as _DictWrapper
from tapeflow._src.core.trackable import ListWrapper as ListWrapper
from tapeflow._src.core.trackable import NoDependency as NoDependency
from tapeflow._src.internal.data_structures import List as List
from tapeflow._src.internal.data_structures import Mapping as Mapping
from tapeflow._src.internal.data_structures import TrackableDataStructure as TrackableDataStructure
from tapeflow._src.internal.data_structures import Tuple as _TupleWrapper
from tapeflow._src.internal.data_structures import wrap_or_unwrap as wrap_or_unwrap
from tapeflow._src.internal.tracking import (
    sticky_attribute_assignment as sticky_attribute_assignment,
)

__all__ = [
    "List",
    "ListWrapper",
    "Mapping",
    "NoDependency",
    "TrackableDataStructure",
    "_DictWrapper",
    "_TupleWrapper",
    "sticky_attribute_assignment",
    "wrap_or_unwrap",
]
