"""`tf.compat.v1.nn`: neural networks, with signatures of TensorFlow 1 where they differ."""

from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.legacy import depth_to_space as depth_to_space
from tapeflow._src.compat.v1.legacy import in_top_k as in_top_k
from tapeflow._src.compat.v1.legacy import log_softmax as log_softmax
from tapeflow._src.compat.v1.legacy import softmax as softmax
from tapeflow._src.compat.v1.legacy import space_to_batch as space_to_batch
from tapeflow._src.compat.v1.legacy import space_to_depth as space_to_depth
from tapeflow._src.compat.v1.nn.functions import avg_pool as avg_pool
from tapeflow._src.compat.v1.nn.functions import avg_pool2d as avg_pool2d
from tapeflow._src.compat.v1.nn.functions import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from tapeflow._src.compat.v1.nn.functions import conv1d as conv1d
from tapeflow._src.compat.v1.nn.functions import conv2d as conv2d
from tapeflow._src.compat.v1.nn.functions import conv2d_transpose as conv2d_transpose
from tapeflow._src.compat.v1.nn.functions import conv3d as conv3d
from tapeflow._src.compat.v1.nn.functions import conv3d_transpose as conv3d_transpose
from tapeflow._src.compat.v1.nn.functions import convolution as convolution
from tapeflow._src.compat.v1.nn.functions import crelu as crelu
from tapeflow._src.compat.v1.nn.functions import depthwise_conv2d as depthwise_conv2d
from tapeflow._src.compat.v1.nn.functions import dropout as dropout
from tapeflow._src.compat.v1.nn.functions import embedding_lookup as embedding_lookup
from tapeflow._src.compat.v1.nn.functions import embedding_lookup_sparse as embedding_lookup_sparse
from tapeflow._src.compat.v1.nn.functions import fused_batch_norm as fused_batch_norm
from tapeflow._src.compat.v1.nn.functions import max_pool as max_pool
from tapeflow._src.compat.v1.nn.functions import max_pool_with_argmax as max_pool_with_argmax
from tapeflow._src.compat.v1.nn.functions import moments as moments
from tapeflow._src.compat.v1.nn.functions import pool as pool
from tapeflow._src.compat.v1.nn.functions import relu_layer as relu_layer
from tapeflow._src.compat.v1.nn.functions import separable_conv2d as separable_conv2d
from tapeflow._src.compat.v1.nn.functions import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from tapeflow._src.compat.v1.nn.functions import (
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
)
from tapeflow._src.compat.v1.nn.functions import sufficient_statistics as sufficient_statistics
from tapeflow._src.compat.v1.nn.functions import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tapeflow._src.compat.v1.nn.functions import weighted_moments as weighted_moments
from tapeflow._src.compat.v1.nn.functions import xw_plus_b as xw_plus_b
from tapeflow._src.compat.v1.nn.recurrent import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
)
from tapeflow._src.compat.v1.nn.recurrent import dynamic_rnn as dynamic_rnn
from tapeflow._src.compat.v1.nn.recurrent import raw_rnn as raw_rnn
from tapeflow._src.compat.v1.nn.unrolled import static_bidirectional_rnn as static_bidirectional_rnn
from tapeflow._src.compat.v1.nn.unrolled import static_rnn as static_rnn
from tapeflow._src.compat.v1.nn.unrolled import static_state_saving_rnn as static_state_saving_rnn

__getattr__, __dir__ = _aliases(
    __name__, globals(), {"experimental": "tapeflow.nn", "rnn_cell": f"{__name__}.rnn_cell"}
)
