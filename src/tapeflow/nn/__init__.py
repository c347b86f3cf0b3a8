"""The public namespace `tf.nn`."""

from tapeflow.arrays.movement import depth_to_space as depth_to_space
from tapeflow.arrays.movement import space_to_batch as space_to_batch
from tapeflow.arrays.movement import space_to_depth as space_to_depth
from tapeflow.math.sorting import approx_max_k as approx_max_k
from tapeflow.math.sorting import approx_min_k as approx_min_k
from tapeflow.math.sorting import in_top_k as in_top_k
from tapeflow.math.sorting import top_k as top_k
from tapeflow.nn import experimental as experimental
from tapeflow.nn.activation import crelu as crelu
from tapeflow.nn.activation import elu as elu
from tapeflow.nn.activation import gelu as gelu
from tapeflow.nn.activation import leaky_relu as leaky_relu
from tapeflow.nn.activation import log_softmax as log_softmax
from tapeflow.nn.activation import relu as relu
from tapeflow.nn.activation import relu6 as relu6
from tapeflow.nn.activation import selu as selu
from tapeflow.nn.activation import sigmoid as sigmoid
from tapeflow.nn.activation import silu as silu
from tapeflow.nn.activation import silu as swish  # noqa: F401
from tapeflow.nn.activation import softmax as softmax
from tapeflow.nn.activation import softplus as softplus
from tapeflow.nn.activation import softsign as softsign
from tapeflow.nn.activation import tanh as tanh
from tapeflow.nn.convolution import atrous_conv2d as atrous_conv2d
from tapeflow.nn.convolution import atrous_conv2d_transpose as atrous_conv2d_transpose
from tapeflow.nn.convolution import conv1d as conv1d
from tapeflow.nn.convolution import conv1d_transpose as conv1d_transpose
from tapeflow.nn.convolution import conv2d as conv2d
from tapeflow.nn.convolution import conv2d_transpose as conv2d_transpose
from tapeflow.nn.convolution import conv3d as conv3d
from tapeflow.nn.convolution import conv3d_transpose as conv3d_transpose
from tapeflow.nn.convolution import conv_transpose as conv_transpose
from tapeflow.nn.convolution import convolution as convolution
from tapeflow.nn.convolution import depthwise_conv2d as depthwise_conv2d
from tapeflow.nn.convolution import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from tapeflow.nn.convolution import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from tapeflow.nn.convolution import separable_conv2d as separable_conv2d
from tapeflow.nn.ctc import collapse_repeated as collapse_repeated
from tapeflow.nn.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from tapeflow.nn.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from tapeflow.nn.ctc import ctc_loss as ctc_loss
from tapeflow.nn.ctc import ctc_unique_labels as ctc_unique_labels
from tapeflow.nn.dropout import dropout as dropout
from tapeflow.nn.embedding import embedding_lookup as embedding_lookup
from tapeflow.nn.embedding_sparse import embedding_lookup_sparse as embedding_lookup_sparse
from tapeflow.nn.embedding_sparse import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from tapeflow.nn.fractional_pooling import fractional_avg_pool as fractional_avg_pool
from tapeflow.nn.fractional_pooling import fractional_max_pool as fractional_max_pool
from tapeflow.nn.losses import compute_average_loss as compute_average_loss
from tapeflow.nn.losses import l2_loss as l2_loss
from tapeflow.nn.losses import log_poisson_loss as log_poisson_loss
from tapeflow.nn.losses import scale_regularization_loss as scale_regularization_loss
from tapeflow.nn.losses import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from tapeflow.nn.losses import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from tapeflow.nn.losses import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from tapeflow.nn.losses import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tapeflow.nn.losses import zero_fraction as zero_fraction
from tapeflow.nn.morphology import dilation2d as dilation2d
from tapeflow.nn.morphology import erosion2d as erosion2d
from tapeflow.nn.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from tapeflow.nn.normalization import batch_normalization as batch_normalization
from tapeflow.nn.normalization import bias_add as bias_add
from tapeflow.nn.normalization import l2_normalize as l2_normalize
from tapeflow.nn.normalization import moments as moments
from tapeflow.nn.normalization import normalize_moments as normalize_moments
from tapeflow.nn.normalization import sufficient_statistics as sufficient_statistics
from tapeflow.nn.normalization import weighted_moments as weighted_moments
from tapeflow.nn.pooling import avg_pool as avg_pool
from tapeflow.nn.pooling import avg_pool1d as avg_pool1d
from tapeflow.nn.pooling import avg_pool2d as avg_pool2d
from tapeflow.nn.pooling import avg_pool3d as avg_pool3d
from tapeflow.nn.pooling import max_pool as max_pool
from tapeflow.nn.pooling import max_pool1d as max_pool1d
from tapeflow.nn.pooling import max_pool2d as max_pool2d
from tapeflow.nn.pooling import max_pool3d as max_pool3d
from tapeflow.nn.pooling import max_pool_with_argmax as max_pool_with_argmax
from tapeflow.nn.pooling import pool as pool
from tapeflow.nn.regression import isotonic_regression as isotonic_regression
from tapeflow.nn.regression import local_response_normalization as local_response_normalization
from tapeflow.nn.regression import lrn as lrn
from tapeflow.nn.sampling import nce_loss as nce_loss
from tapeflow.nn.sampling import sampled_softmax_loss as sampled_softmax_loss
from tapeflow.nn.spread import with_space_to_batch as with_space_to_batch
from tapeflow.ops import batch_norm as _batch_norm  # noqa: F401  declares FusedBatchNorm
from tapeflow.random.candidates import all_candidate_sampler as all_candidate_sampler
from tapeflow.random.candidates import compute_accidental_hits as compute_accidental_hits
from tapeflow.random.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from tapeflow.random.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
