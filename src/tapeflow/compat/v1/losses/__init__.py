"""`tf.compat.v1.losses`: losses that are weighted, reduced and collected in the graph."""

from __future__ import annotations

from tapeflow._src.compat.v1.losses.collecting import add_loss as add_loss
from tapeflow._src.compat.v1.losses.collecting import get_losses as get_losses
from tapeflow._src.compat.v1.losses.collecting import (
    get_regularization_loss as get_regularization_loss,
)
from tapeflow._src.compat.v1.losses.collecting import (
    get_regularization_losses as get_regularization_losses,
)
from tapeflow._src.compat.v1.losses.collecting import get_total_loss as get_total_loss
from tapeflow._src.compat.v1.losses.functions import absolute_difference as absolute_difference
from tapeflow._src.compat.v1.losses.functions import cosine_distance as cosine_distance
from tapeflow._src.compat.v1.losses.functions import hinge_loss as hinge_loss
from tapeflow._src.compat.v1.losses.functions import huber_loss as huber_loss
from tapeflow._src.compat.v1.losses.functions import log_loss as log_loss
from tapeflow._src.compat.v1.losses.functions import (
    mean_pairwise_squared_error as mean_pairwise_squared_error,
)
from tapeflow._src.compat.v1.losses.functions import mean_squared_error as mean_squared_error
from tapeflow._src.compat.v1.losses.functions import sigmoid_cross_entropy as sigmoid_cross_entropy
from tapeflow._src.compat.v1.losses.functions import softmax_cross_entropy as softmax_cross_entropy
from tapeflow._src.compat.v1.losses.functions import (
    sparse_softmax_cross_entropy as sparse_softmax_cross_entropy,
)
from tapeflow._src.compat.v1.losses.reduction import Reduction as Reduction
from tapeflow._src.compat.v1.losses.reduction import compute_weighted_loss as compute_weighted_loss
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
