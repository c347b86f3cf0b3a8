"""Nested structures: what there is besides the public `tf.nest`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.nest import Path as Path
from tapeflow._src.internal.nest import assert_same_structure as assert_same_structure
from tapeflow._src.internal.nest import assert_shallow_structure as assert_shallow_structure
from tapeflow._src.internal.nest import flatten as flatten
from tapeflow._src.internal.nest import flatten_dict_items as flatten_dict_items
from tapeflow._src.internal.nest import flatten_up_to as flatten_up_to
from tapeflow._src.internal.nest import (
    flatten_with_joined_string_paths as flatten_with_joined_string_paths,
)
from tapeflow._src.internal.nest import flatten_with_tuple_paths as flatten_with_tuple_paths
from tapeflow._src.internal.nest import (
    flatten_with_tuple_paths_up_to as flatten_with_tuple_paths_up_to,
)
from tapeflow._src.internal.nest import (
    get_traverse_shallow_structure as get_traverse_shallow_structure,
)
from tapeflow._src.internal.nest import is_attrs as is_attrs
from tapeflow._src.internal.nest import is_mapping as is_mapping
from tapeflow._src.internal.nest import is_namedtuple as is_namedtuple
from tapeflow._src.internal.nest import is_nested as is_nested
from tapeflow._src.internal.nest import is_nested_or_composite as is_nested_or_composite
from tapeflow._src.internal.nest import is_sequence as is_sequence
from tapeflow._src.internal.nest import is_sequence_or_composite as is_sequence_or_composite
from tapeflow._src.internal.nest import list_to_tuple as list_to_tuple
from tapeflow._src.internal.nest import map_structure as map_structure
from tapeflow._src.internal.nest import map_structure_up_to as map_structure_up_to
from tapeflow._src.internal.nest import map_structure_with_paths as map_structure_with_paths
from tapeflow._src.internal.nest import (
    map_structure_with_tuple_paths as map_structure_with_tuple_paths,
)
from tapeflow._src.internal.nest import (
    map_structure_with_tuple_paths_up_to as map_structure_with_tuple_paths_up_to,
)
from tapeflow._src.internal.nest import pack_sequence_as as pack_sequence_as
from tapeflow._src.internal.nest import sequence_like as sequence_like
from tapeflow._src.internal.nest import yield_flat_paths as yield_flat_paths
from tapeflow._src.internal.nest import yield_flattened_paths as yield_flattened_paths
from tapeflow._src.internal.nest import yield_flattened_up_to as yield_flattened_up_to

_explain_missing(__name__)
