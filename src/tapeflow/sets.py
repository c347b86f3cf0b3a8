"""`tf.sets`: operations on the sets along the last axis of tensors, dense or sparse."""

from tapeflow._src.api.sets import difference as difference
from tapeflow._src.api.sets import intersection as intersection
from tapeflow._src.api.sets import size as size
from tapeflow._src.api.sets import union as union
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
