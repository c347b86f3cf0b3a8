"""The public namespace `tf.dtypes.experimental`: very narrow numbers."""

from tapeflow._src.core.dtypes import float4_e2m1fn as float4_e2m1fn
from tapeflow._src.core.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from tapeflow._src.core.dtypes import float8_e4m3fn as float8_e4m3fn
from tapeflow._src.core.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from tapeflow._src.core.dtypes import float8_e5m2 as float8_e5m2
from tapeflow._src.core.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from tapeflow._src.core.dtypes import int2 as int2
from tapeflow._src.core.dtypes import int4 as int4
from tapeflow._src.core.dtypes import uint2 as uint2
from tapeflow._src.core.dtypes import uint4 as uint4
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
