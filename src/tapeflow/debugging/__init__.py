"""`tf.debugging`: assertions about tensors, and checks of their values."""

from tapeflow._src.api.debugging.comparisons import Assert as Assert
from tapeflow._src.api.debugging.comparisons import assert_all_finite as assert_all_finite
from tapeflow._src.api.debugging.comparisons import assert_equal as assert_equal
from tapeflow._src.api.debugging.comparisons import assert_greater as assert_greater
from tapeflow._src.api.debugging.comparisons import assert_greater_equal as assert_greater_equal
from tapeflow._src.api.debugging.comparisons import assert_less as assert_less
from tapeflow._src.api.debugging.comparisons import assert_less_equal as assert_less_equal
from tapeflow._src.api.debugging.comparisons import assert_near as assert_near
from tapeflow._src.api.debugging.comparisons import assert_negative as assert_negative
from tapeflow._src.api.debugging.comparisons import assert_non_negative as assert_non_negative
from tapeflow._src.api.debugging.comparisons import assert_non_positive as assert_non_positive
from tapeflow._src.api.debugging.comparisons import assert_none_equal as assert_none_equal
from tapeflow._src.api.debugging.comparisons import assert_positive as assert_positive
from tapeflow._src.api.debugging.comparisons import check_numerics as check_numerics
from tapeflow._src.api.debugging.numerics import disable_check_numerics as disable_check_numerics
from tapeflow._src.api.debugging.numerics import enable_check_numerics as enable_check_numerics
from tapeflow._src.api.debugging.placement import (
    get_log_device_placement as get_log_device_placement,
)
from tapeflow._src.api.debugging.placement import (
    set_log_device_placement as set_log_device_placement,
)
from tapeflow._src.api.debugging.structure import assert_integer as assert_integer
from tapeflow._src.api.debugging.structure import assert_proper_iterable as assert_proper_iterable
from tapeflow._src.api.debugging.structure import assert_rank as assert_rank
from tapeflow._src.api.debugging.structure import assert_rank_at_least as assert_rank_at_least
from tapeflow._src.api.debugging.structure import assert_rank_in as assert_rank_in
from tapeflow._src.api.debugging.structure import assert_same_float_dtype as assert_same_float_dtype
from tapeflow._src.api.debugging.structure import assert_scalar as assert_scalar
from tapeflow._src.api.debugging.structure import assert_shapes as assert_shapes
from tapeflow._src.api.debugging.structure import assert_type as assert_type
from tapeflow._src.api.debugging.structure import is_numeric_tensor as is_numeric_tensor
from tapeflow._src.api.debugging.tracebacks import (
    disable_traceback_filtering as disable_traceback_filtering,
)
from tapeflow._src.api.debugging.tracebacks import (
    enable_traceback_filtering as enable_traceback_filtering,
)
from tapeflow._src.api.debugging.tracebacks import (
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
)
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
