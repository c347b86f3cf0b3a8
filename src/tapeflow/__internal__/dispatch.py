"""Values that ops are given in place of tensors, and that answer for themselves."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.dispatch import Dispatchable as Dispatchable
from tapeflow._src.internal.dispatch import GlobalOpDispatcher as GlobalOpDispatcher
from tapeflow._src.internal.dispatch import OpDispatcher as OpDispatcher
from tapeflow._src.internal.dispatch import add_dispatch_support as add_dispatch_support
from tapeflow._src.internal.dispatch import dispatch_for_types as dispatch_for_types
from tapeflow._src.internal.dispatch import not_a_tensor as not_a_tensor
from tapeflow._src.internal.dispatch import only_computes as only_computes

_explain_missing(__name__)
