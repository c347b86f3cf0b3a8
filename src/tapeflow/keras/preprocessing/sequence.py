"""`tf.keras.preprocessing.sequence`: windows over series, and pairs of words in a window."""

from tapeflow._src.keras.preprocessing.sequence import TimeseriesGenerator as TimeseriesGenerator
from tapeflow._src.keras.preprocessing.sequence import make_sampling_table as make_sampling_table
from tapeflow._src.keras.preprocessing.sequence import pad_sequences as pad_sequences
from tapeflow._src.keras.preprocessing.sequence import skipgrams as skipgrams
