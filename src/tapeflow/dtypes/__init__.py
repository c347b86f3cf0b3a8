"""The public namespace `tf.dtypes`."""

from tapeflow._src.api.math.casting import cast as cast
from tapeflow._src.api.math.casting import complex as complex
from tapeflow._src.api.math.casting import saturate_cast as saturate_cast
from tapeflow._src.core.dtypes import QUANTIZED as _QUANTIZED
from tapeflow._src.core.dtypes import DType as DType
from tapeflow._src.core.dtypes import as_dtype as as_dtype
from tapeflow._src.core.dtypes import bfloat16 as bfloat16
from tapeflow._src.core.dtypes import bool as bool
from tapeflow._src.core.dtypes import complex64 as complex64
from tapeflow._src.core.dtypes import complex128 as complex128
from tapeflow._src.core.dtypes import double as double
from tapeflow._src.core.dtypes import float16 as float16
from tapeflow._src.core.dtypes import float32 as float32
from tapeflow._src.core.dtypes import float64 as float64
from tapeflow._src.core.dtypes import half as half
from tapeflow._src.core.dtypes import int8 as int8
from tapeflow._src.core.dtypes import int16 as int16
from tapeflow._src.core.dtypes import int32 as int32
from tapeflow._src.core.dtypes import int64 as int64
from tapeflow._src.core.dtypes import qint8 as qint8
from tapeflow._src.core.dtypes import qint16 as qint16
from tapeflow._src.core.dtypes import qint32 as qint32
from tapeflow._src.core.dtypes import quint8 as quint8
from tapeflow._src.core.dtypes import quint16 as quint16
from tapeflow._src.core.dtypes import resource as resource
from tapeflow._src.core.dtypes import string as string
from tapeflow._src.core.dtypes import uint8 as uint8
from tapeflow._src.core.dtypes import uint16 as uint16
from tapeflow._src.core.dtypes import uint32 as uint32
from tapeflow._src.core.dtypes import uint64 as uint64
from tapeflow._src.core.dtypes import variant as variant
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.dtypes import experimental as experimental

QUANTIZED_DTYPES = _QUANTIZED

_explain_missing(__name__)
