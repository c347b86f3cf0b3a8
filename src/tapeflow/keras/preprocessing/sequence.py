"""`tf.keras.preprocessing.sequence`: windows over series, and pairs of words in a window."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.preprocessing.sequence import TimeseriesGenerator as TimeseriesGenerator
from tapeflow._src.keras.preprocessing.sequence import make_sampling_table as make_sampling_table
from tapeflow._src.keras.preprocessing.sequence import pad_sequences as pad_sequences
from tapeflow._src.keras.preprocessing.sequence import skipgrams as skipgrams

_explain_missing(__name__)
