"""Film reviews as sequences of word numbers: 50,000, half of them positive."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.datasets.imdb import get_word_index as get_word_index
from tapeflow._src.keras.datasets.imdb import load_data as load_data

_explain_missing(__name__)
