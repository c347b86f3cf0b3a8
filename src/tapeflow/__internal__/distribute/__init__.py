"""`tf.distribute` for libraries: calls across replicas."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.distribute import ShardedVariable as ShardedVariable
from tapeflow._src.internal.distribute import combinations as combinations
from tapeflow._src.internal.distribute import interim as interim
from tapeflow._src.internal.distribute import (
    strategy_supports_no_merge_call as strategy_supports_no_merge_call,
)
from tapeflow._src.internal.distribute import (
    variable_sync_on_read_context as variable_sync_on_read_context,
)

_explain_missing(__name__)
