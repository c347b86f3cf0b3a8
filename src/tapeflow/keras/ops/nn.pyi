# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.ops.activations import celu as celu
from tapeflow._src.keras.ops.activations import elu as elu
from tapeflow._src.keras.ops.activations import gelu as gelu
from tapeflow._src.keras.ops.activations import glu as glu
from tapeflow._src.keras.ops.activations import hard_shrink as hard_shrink
from tapeflow._src.keras.ops.activations import hard_sigmoid as hard_sigmoid
from tapeflow._src.keras.ops.activations import hard_silu as hard_silu
from tapeflow._src.keras.ops.activations import hard_swish as hard_swish
from tapeflow._src.keras.ops.activations import hard_tanh as hard_tanh
from tapeflow._src.keras.ops.activations import leaky_relu as leaky_relu
from tapeflow._src.keras.ops.activations import log_sigmoid as log_sigmoid
from tapeflow._src.keras.ops.activations import log_softmax as log_softmax
from tapeflow._src.keras.ops.activations import relu as relu
from tapeflow._src.keras.ops.activations import relu6 as relu6
from tapeflow._src.keras.ops.activations import selu as selu
from tapeflow._src.keras.ops.activations import sigmoid as sigmoid
from tapeflow._src.keras.ops.activations import silu as silu
from tapeflow._src.keras.ops.activations import soft_shrink as soft_shrink
from tapeflow._src.keras.ops.activations import softmax as softmax
from tapeflow._src.keras.ops.activations import softplus as softplus
from tapeflow._src.keras.ops.activations import softsign as softsign
from tapeflow._src.keras.ops.activations import sparse_plus as sparse_plus
from tapeflow._src.keras.ops.activations import sparse_sigmoid as sparse_sigmoid
from tapeflow._src.keras.ops.activations import sparsemax as sparsemax
from tapeflow._src.keras.ops.activations import squareplus as squareplus
from tapeflow._src.keras.ops.activations import swish as swish
from tapeflow._src.keras.ops.activations import tanh_shrink as tanh_shrink
from tapeflow._src.keras.ops.activations import threshold as threshold
from tapeflow._src.keras.ops.attention import dot_product_attention as dot_product_attention
from tapeflow._src.keras.ops.blocks import depth_to_space as depth_to_space
from tapeflow._src.keras.ops.blocks import fold as fold
from tapeflow._src.keras.ops.blocks import polar as polar
from tapeflow._src.keras.ops.blocks import space_to_depth as space_to_depth
from tapeflow._src.keras.ops.blocks import unfold as unfold
from tapeflow._src.keras.ops.convolutions import conv as conv
from tapeflow._src.keras.ops.convolutions import conv_transpose as conv_transpose
from tapeflow._src.keras.ops.convolutions import depthwise_conv as depthwise_conv
from tapeflow._src.keras.ops.convolutions import separable_conv as separable_conv
from tapeflow._src.keras.ops.crossentropies import (
    categorical_crossentropy as categorical_crossentropy,
)
from tapeflow._src.keras.ops.crossentropies import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from tapeflow._src.keras.ops.crossentropies import binary_crossentropy as binary_crossentropy
from tapeflow._src.keras.ops.families import family as family
from tapeflow._src.keras.ops.normalizations import batch_normalization as batch_normalization
from tapeflow._src.keras.ops.normalizations import layer_normalization as layer_normalization
from tapeflow._src.keras.ops.normalizations import moments as moments
from tapeflow._src.keras.ops.normalizations import normalize as normalize
from tapeflow._src.keras.ops.normalizations import psnr as psnr
from tapeflow._src.keras.ops.normalizations import rms_normalization as rms_normalization
from tapeflow._src.keras.ops.pooling import adaptive_average_pool as adaptive_average_pool
from tapeflow._src.keras.ops.pooling import adaptive_max_pool as adaptive_max_pool
from tapeflow._src.keras.ops.pooling import average_pool as average_pool
from tapeflow._src.keras.ops.pooling import max_pool as max_pool
from tapeflow._src.keras.ops.sequences import ctc_decode as ctc_decode
from tapeflow._src.keras.ops.sequences import ctc_loss as ctc_loss
from tapeflow._src.keras.ops.sequences import multi_hot as multi_hot
from tapeflow._src.keras.ops.sequences import one_hot as one_hot
