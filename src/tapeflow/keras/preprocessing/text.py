"""`tf.keras.preprocessing.text`: Keras 2's words and numbers of words."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.preprocessing.text import FILTERS as FILTERS
from tapeflow._src.keras.preprocessing.text import Tokenizer as Tokenizer
from tapeflow._src.keras.preprocessing.text import hashing_trick as hashing_trick
from tapeflow._src.keras.preprocessing.text import one_hot as one_hot
from tapeflow._src.keras.preprocessing.text import text_to_word_sequence as text_to_word_sequence
from tapeflow._src.keras.preprocessing.text import tokenizer_from_json as tokenizer_from_json

_explain_missing(__name__)
