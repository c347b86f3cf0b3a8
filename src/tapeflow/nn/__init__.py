"""The public namespace `tf.nn`."""

from tapeflow._src.api.arrays.movement import depth_to_space as depth_to_space
from tapeflow._src.api.arrays.movement import space_to_batch as space_to_batch
from tapeflow._src.api.arrays.movement import space_to_depth as space_to_depth
from tapeflow._src.api.math.sorting import approx_max_k as approx_max_k
from tapeflow._src.api.math.sorting import approx_min_k as approx_min_k
from tapeflow._src.api.math.sorting import in_top_k as in_top_k
from tapeflow._src.api.math.sorting import top_k as top_k
from tapeflow._src.api.nn.activation import crelu as crelu
from tapeflow._src.api.nn.activation import elu as elu
from tapeflow._src.api.nn.activation import gelu as gelu
from tapeflow._src.api.nn.activation import leaky_relu as leaky_relu
from tapeflow._src.api.nn.activation import log_softmax as log_softmax
from tapeflow._src.api.nn.activation import relu as relu
from tapeflow._src.api.nn.activation import relu6 as relu6
from tapeflow._src.api.nn.activation import selu as selu
from tapeflow._src.api.nn.activation import sigmoid as sigmoid
from tapeflow._src.api.nn.activation import silu as silu
from tapeflow._src.api.nn.activation import silu as swish  # noqa: F401
from tapeflow._src.api.nn.activation import softmax as softmax
from tapeflow._src.api.nn.activation import softplus as softplus
from tapeflow._src.api.nn.activation import softsign as softsign
from tapeflow._src.api.nn.activation import tanh as tanh
from tapeflow._src.api.nn.convolution import atrous_conv2d as atrous_conv2d
from tapeflow._src.api.nn.convolution import conv1d as conv1d
from tapeflow._src.api.nn.convolution import conv2d as conv2d
from tapeflow._src.api.nn.convolution import conv3d as conv3d
from tapeflow._src.api.nn.convolution import convolution as convolution
from tapeflow._src.api.nn.ctc import collapse_repeated as collapse_repeated
from tapeflow._src.api.nn.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from tapeflow._src.api.nn.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from tapeflow._src.api.nn.ctc import ctc_loss as ctc_loss
from tapeflow._src.api.nn.ctc import ctc_unique_labels as ctc_unique_labels
from tapeflow._src.api.nn.depthwise_convolution import depthwise_conv2d as depthwise_conv2d
from tapeflow._src.api.nn.depthwise_convolution import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from tapeflow._src.api.nn.depthwise_convolution import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from tapeflow._src.api.nn.depthwise_convolution import separable_conv2d as separable_conv2d
from tapeflow._src.api.nn.dropout import dropout as dropout
from tapeflow._src.api.nn.embedding import embedding_lookup as embedding_lookup
from tapeflow._src.api.nn.embedding_sparse import embedding_lookup_sparse as embedding_lookup_sparse
from tapeflow._src.api.nn.embedding_sparse import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from tapeflow._src.api.nn.fractional_pooling import fractional_avg_pool as fractional_avg_pool
from tapeflow._src.api.nn.fractional_pooling import fractional_max_pool as fractional_max_pool
from tapeflow._src.api.nn.losses import compute_average_loss as compute_average_loss
from tapeflow._src.api.nn.losses import l2_loss as l2_loss
from tapeflow._src.api.nn.losses import log_poisson_loss as log_poisson_loss
from tapeflow._src.api.nn.losses import scale_regularization_loss as scale_regularization_loss
from tapeflow._src.api.nn.losses import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from tapeflow._src.api.nn.losses import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from tapeflow._src.api.nn.losses import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from tapeflow._src.api.nn.losses import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tapeflow._src.api.nn.losses import zero_fraction as zero_fraction
from tapeflow._src.api.nn.morphology import dilation2d as dilation2d
from tapeflow._src.api.nn.morphology import erosion2d as erosion2d
from tapeflow._src.api.nn.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from tapeflow._src.api.nn.normalization import batch_normalization as batch_normalization
from tapeflow._src.api.nn.normalization import bias_add as bias_add
from tapeflow._src.api.nn.normalization import l2_normalize as l2_normalize
from tapeflow._src.api.nn.normalization import moments as moments
from tapeflow._src.api.nn.normalization import normalize_moments as normalize_moments
from tapeflow._src.api.nn.normalization import sufficient_statistics as sufficient_statistics
from tapeflow._src.api.nn.normalization import weighted_moments as weighted_moments
from tapeflow._src.api.nn.pooling import avg_pool as avg_pool
from tapeflow._src.api.nn.pooling import avg_pool1d as avg_pool1d
from tapeflow._src.api.nn.pooling import avg_pool2d as avg_pool2d
from tapeflow._src.api.nn.pooling import avg_pool3d as avg_pool3d
from tapeflow._src.api.nn.pooling import max_pool as max_pool
from tapeflow._src.api.nn.pooling import max_pool1d as max_pool1d
from tapeflow._src.api.nn.pooling import max_pool2d as max_pool2d
from tapeflow._src.api.nn.pooling import max_pool3d as max_pool3d
from tapeflow._src.api.nn.pooling import max_pool_with_argmax as max_pool_with_argmax
from tapeflow._src.api.nn.pooling import pool as pool
from tapeflow._src.api.nn.regression import isotonic_regression as isotonic_regression
from tapeflow._src.api.nn.regression import (
    local_response_normalization as local_response_normalization,
)
from tapeflow._src.api.nn.regression import lrn as lrn
from tapeflow._src.api.nn.sampling import nce_loss as nce_loss
from tapeflow._src.api.nn.sampling import sampled_softmax_loss as sampled_softmax_loss
from tapeflow._src.api.nn.space_to_batch import with_space_to_batch as with_space_to_batch
from tapeflow._src.api.nn.transposed_convolution import (
    atrous_conv2d_transpose as atrous_conv2d_transpose,
)
from tapeflow._src.api.nn.transposed_convolution import conv1d_transpose as conv1d_transpose
from tapeflow._src.api.nn.transposed_convolution import conv2d_transpose as conv2d_transpose
from tapeflow._src.api.nn.transposed_convolution import conv3d_transpose as conv3d_transpose
from tapeflow._src.api.nn.transposed_convolution import conv_transpose as conv_transpose
from tapeflow._src.api.random.candidates import all_candidate_sampler as all_candidate_sampler
from tapeflow._src.api.random.candidates import compute_accidental_hits as compute_accidental_hits
from tapeflow._src.api.random.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from tapeflow._src.api.random.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.ops.nn import batch_norm as _batch_norm  # noqa: F401  declares FusedBatchNorm
from tapeflow.nn import experimental as experimental

_explain_missing(__name__)
