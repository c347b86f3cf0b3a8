"""`tf.lookup`: tables from keys to values."""

from tapeflow.lookup import experimental as experimental
from tapeflow.lookup.initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from tapeflow.lookup.initializers import TextFileIndex as TextFileIndex
from tapeflow.lookup.initializers import TextFileInitializer as TextFileInitializer
from tapeflow.lookup.tables import StaticHashTable as StaticHashTable
from tapeflow.lookup.vocabulary import StaticVocabularyTable as StaticVocabularyTable
