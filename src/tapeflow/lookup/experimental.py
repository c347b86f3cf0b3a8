"""`tf.lookup.experimental`: tables that change."""

from tapeflow._src.api.lookup.mutable import DenseHashTable as DenseHashTable
from tapeflow._src.api.lookup.mutable import MutableHashTable as MutableHashTable
