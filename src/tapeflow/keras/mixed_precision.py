"""The public namespace `tf.keras.mixed_precision`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.dtype_policies.policy import DTypePolicy as DTypePolicy
from tapeflow._src.keras.dtype_policies.policy import DTypePolicy as Policy  # noqa: F401
from tapeflow._src.keras.dtype_policies.policy import dtype_policy as dtype_policy
from tapeflow._src.keras.dtype_policies.policy import dtype_policy as global_policy  # noqa: F401
from tapeflow._src.keras.dtype_policies.policy import set_dtype_policy as set_dtype_policy
from tapeflow._src.keras.dtype_policies.policy import set_dtype_policy as set_global_policy  # noqa: F401
from tapeflow._src.keras.optimizers.loss_scale_optimizer import (
    LossScaleOptimizer as LossScaleOptimizer,
)

_explain_missing(__name__)
