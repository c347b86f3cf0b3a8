"""The public namespace `tf.dtypes`."""

from tapeflow.core.dtypes import QUANTIZED as _QUANTIZED
from tapeflow.core.dtypes import DType as DType
from tapeflow.core.dtypes import as_dtype as as_dtype
from tapeflow.core.dtypes import bfloat16 as bfloat16
from tapeflow.core.dtypes import bool as bool
from tapeflow.core.dtypes import complex64 as complex64
from tapeflow.core.dtypes import complex128 as complex128
from tapeflow.core.dtypes import double as double
from tapeflow.core.dtypes import float16 as float16
from tapeflow.core.dtypes import float32 as float32
from tapeflow.core.dtypes import float64 as float64
from tapeflow.core.dtypes import half as half
from tapeflow.core.dtypes import int8 as int8
from tapeflow.core.dtypes import int16 as int16
from tapeflow.core.dtypes import int32 as int32
from tapeflow.core.dtypes import int64 as int64
from tapeflow.core.dtypes import qint8 as qint8
from tapeflow.core.dtypes import qint16 as qint16
from tapeflow.core.dtypes import qint32 as qint32
from tapeflow.core.dtypes import quint8 as quint8
from tapeflow.core.dtypes import quint16 as quint16
from tapeflow.core.dtypes import resource as resource
from tapeflow.core.dtypes import string as string
from tapeflow.core.dtypes import uint8 as uint8
from tapeflow.core.dtypes import uint16 as uint16
from tapeflow.core.dtypes import uint32 as uint32
from tapeflow.core.dtypes import uint64 as uint64
from tapeflow.core.dtypes import variant as variant
from tapeflow.dtypes import experimental as experimental
from tapeflow.math.casting import cast as cast
from tapeflow.math.casting import complex as complex
from tapeflow.math.casting import saturate_cast as saturate_cast

QUANTIZED_DTYPES = _QUANTIZED
