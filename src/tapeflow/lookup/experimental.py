"""`tf.lookup.experimental`: tables that change."""

from tapeflow.lookup.mutable import DenseHashTable as DenseHashTable
from tapeflow.lookup.mutable import MutableHashTable as MutableHashTable
