"""The public namespace `tf.keras.regularizers`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.regularizers.lookup import deserialize as deserialize
from tapeflow._src.keras.regularizers.lookup import get as get
from tapeflow._src.keras.regularizers.lookup import serialize as serialize
from tapeflow._src.keras.regularizers.regularizers import L1 as L1
from tapeflow._src.keras.regularizers.regularizers import L1L2 as L1L2
from tapeflow._src.keras.regularizers.regularizers import L2 as L2
from tapeflow._src.keras.regularizers.regularizers import (
    OrthogonalRegularizer as OrthogonalRegularizer,
)
from tapeflow._src.keras.regularizers.regularizers import Regularizer as Regularizer

l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer

_explain_missing(__name__)
