"""`tf.audio`: sound from and to WAV files."""

from tapeflow._src.api.audio import decode_wav as decode_wav
from tapeflow._src.api.audio import encode_wav as encode_wav
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
