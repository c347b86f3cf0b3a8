"""`tf.types.experimental.distributed`: the types of values that have a part on every replica."""

from tapeflow._src.api.types.experimental.distributed import Mirrored as Mirrored
from tapeflow._src.api.types.experimental.distributed import PerReplica as PerReplica
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
