"""Operations that run when a SavedModel is loaded."""

from tapeflow._src.compat.v1.saved_model.main_op import main_op as main_op
from tapeflow._src.compat.v1.saved_model.main_op import main_op_with_restore as main_op_with_restore
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
