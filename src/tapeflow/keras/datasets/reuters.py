"""News as sequences of word numbers: 11,228 in 46 topics."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.datasets.reuters import get_label_names as get_label_names
from tapeflow._src.keras.datasets.reuters import get_word_index as get_word_index
from tapeflow._src.keras.datasets.reuters import load_data as load_data

_explain_missing(__name__)
