# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.tree.comparison import assert_same_paths as assert_same_paths
from tapeflow._src.keras.tree.comparison import assert_same_structure as assert_same_structure
from tapeflow._src.keras.tree.walks import MAP_TO_NONE as MAP_TO_NONE
from tapeflow._src.keras.tree.walks import flatten as flatten
from tapeflow._src.keras.tree.walks import flatten_with_path as flatten_with_path
from tapeflow._src.keras.tree.walks import is_nested as is_nested
from tapeflow._src.keras.tree.walks import lists_to_tuples as lists_to_tuples
from tapeflow._src.keras.tree.walks import map_shape_structure as map_shape_structure
from tapeflow._src.keras.tree.walks import map_structure as map_structure
from tapeflow._src.keras.tree.walks import map_structure_up_to as map_structure_up_to
from tapeflow._src.keras.tree.walks import pack_sequence_as as pack_sequence_as
from tapeflow._src.keras.tree.walks import traverse as traverse
