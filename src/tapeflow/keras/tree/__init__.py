"""The public namespace `tf.keras.tree`: nested structures of lists, tuples, dicts and the like.

Compared with `tf.nest`, an `OrderedDict` keeps its own order, and attrs classes are leaves.
"""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_WALKS = (
    "MAP_TO_NONE",
    "flatten",
    "flatten_with_path",
    "is_nested",
    "lists_to_tuples",
    "map_shape_structure",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
    "traverse",
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_WALKS, "tapeflow._src.keras.tree.walks"),
        "assert_same_paths": "tapeflow._src.keras.tree.comparison",
        "assert_same_structure": "tapeflow._src.keras.tree.comparison",
    },
)
