"""`tf.nest`: nested structures of lists, tuples, dictionaries and other containers."""

from tapeflow._src.core.nest import assert_same_structure as assert_same_structure
from tapeflow._src.core.nest import flatten as flatten
from tapeflow._src.core.nest import is_nested as is_nested
from tapeflow._src.core.nest import map_structure as map_structure
from tapeflow._src.core.nest import pack_sequence_as as pack_sequence_as
