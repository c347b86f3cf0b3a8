"""Functions that stand for others."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.decorator import TFDecorator as TFDecorator
from tapeflow._src.internal.decorator import make_decorator as make_decorator
from tapeflow._src.internal.decorator import rewrap as rewrap
from tapeflow._src.internal.decorator import signature_from as signature_from
from tapeflow._src.internal.decorator import tf_decorator as tf_decorator
from tapeflow._src.internal.decorator import unwrap as unwrap

_explain_missing(__name__)
