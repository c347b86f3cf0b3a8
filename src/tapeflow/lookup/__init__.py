"""`tf.lookup`: tables from keys to values."""

from tapeflow._src.api.lookup.initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
)
from tapeflow._src.api.lookup.initializers import TextFileIndex as TextFileIndex
from tapeflow._src.api.lookup.initializers import TextFileInitializer as TextFileInitializer
from tapeflow._src.api.lookup.tables import StaticHashTable as StaticHashTable
from tapeflow._src.api.lookup.vocabulary import StaticVocabularyTable as StaticVocabularyTable
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.lookup import experimental as experimental

_explain_missing(__name__)
