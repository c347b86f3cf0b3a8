# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.backend.convolutions import conv1d as conv1d
from tapeflow._src.keras.backend.convolutions import conv2d as conv2d
from tapeflow._src.keras.backend.convolutions import conv2d_transpose as conv2d_transpose
from tapeflow._src.keras.backend.convolutions import conv3d as conv3d
from tapeflow._src.keras.backend.convolutions import depthwise_conv2d as depthwise_conv2d
from tapeflow._src.keras.backend.convolutions import local_conv1d as local_conv1d
from tapeflow._src.keras.backend.convolutions import local_conv2d as local_conv2d
from tapeflow._src.keras.backend.convolutions import pool2d as pool2d
from tapeflow._src.keras.backend.convolutions import pool3d as pool3d
from tapeflow._src.keras.backend.convolutions import separable_conv2d as separable_conv2d
from tapeflow._src.keras.backend.crossentropies import (
    binary_focal_crossentropy as binary_focal_crossentropy,
)
from tapeflow._src.keras.backend.crossentropies import (
    categorical_crossentropy as categorical_crossentropy,
)
from tapeflow._src.keras.backend.crossentropies import (
    categorical_focal_crossentropy as categorical_focal_crossentropy,
)
from tapeflow._src.keras.backend.crossentropies import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from tapeflow._src.keras.backend.crossentropies import binary_crossentropy as binary_crossentropy
from tapeflow._src.keras.backend.ctc import ctc_batch_cost as ctc_batch_cost
from tapeflow._src.keras.backend.ctc import ctc_decode as ctc_decode
from tapeflow._src.keras.backend.ctc import ctc_label_dense_to_sparse as ctc_label_dense_to_sparse
from tapeflow._src.keras.backend.elementwise import abs as abs
from tapeflow._src.keras.backend.elementwise import cast as cast
from tapeflow._src.keras.backend.elementwise import clip as clip
from tapeflow._src.keras.backend.elementwise import cos as cos
from tapeflow._src.keras.backend.elementwise import elu as elu
from tapeflow._src.keras.backend.elementwise import equal as equal
from tapeflow._src.keras.backend.elementwise import exp as exp
from tapeflow._src.keras.backend.elementwise import greater as greater
from tapeflow._src.keras.backend.elementwise import greater_equal as greater_equal
from tapeflow._src.keras.backend.elementwise import hard_sigmoid as hard_sigmoid
from tapeflow._src.keras.backend.elementwise import less as less
from tapeflow._src.keras.backend.elementwise import less_equal as less_equal
from tapeflow._src.keras.backend.elementwise import log as log
from tapeflow._src.keras.backend.elementwise import maximum as maximum
from tapeflow._src.keras.backend.elementwise import minimum as minimum
from tapeflow._src.keras.backend.elementwise import not_equal as not_equal
from tapeflow._src.keras.backend.elementwise import pow as pow
from tapeflow._src.keras.backend.elementwise import relu as relu
from tapeflow._src.keras.backend.elementwise import round as round
from tapeflow._src.keras.backend.elementwise import sigmoid as sigmoid
from tapeflow._src.keras.backend.elementwise import sign as sign
from tapeflow._src.keras.backend.elementwise import sin as sin
from tapeflow._src.keras.backend.elementwise import softmax as softmax
from tapeflow._src.keras.backend.elementwise import softplus as softplus
from tapeflow._src.keras.backend.elementwise import softsign as softsign
from tapeflow._src.keras.backend.elementwise import sqrt as sqrt
from tapeflow._src.keras.backend.elementwise import square as square
from tapeflow._src.keras.backend.elementwise import stop_gradient as stop_gradient
from tapeflow._src.keras.backend.elementwise import tanh as tanh
from tapeflow._src.keras.backend.loops import foldl as foldl
from tapeflow._src.keras.backend.loops import foldr as foldr
from tapeflow._src.keras.backend.loops import map_fn as map_fn
from tapeflow._src.keras.backend.loops import rnn as rnn
from tapeflow._src.keras.backend.models import function as function
from tapeflow._src.keras.backend.models import gradients as gradients
from tapeflow._src.keras.backend.models import is_keras_tensor as is_keras_tensor
from tapeflow._src.keras.backend.models import placeholder as placeholder
from tapeflow._src.keras.backend.normalization import (
    normalize_batch_in_training as normalize_batch_in_training,
)
from tapeflow._src.keras.backend.normalization import batch_normalization as batch_normalization
from tapeflow._src.keras.backend.normalization import l2_normalize as l2_normalize
from tapeflow._src.keras.backend.phases import in_test_phase as in_test_phase
from tapeflow._src.keras.backend.phases import in_train_phase as in_train_phase
from tapeflow._src.keras.backend.phases import learning_phase as learning_phase
from tapeflow._src.keras.backend.phases import learning_phase_scope as learning_phase_scope
from tapeflow._src.keras.backend.phases import set_learning_phase as set_learning_phase
from tapeflow._src.keras.backend.phases import switch as switch
from tapeflow._src.keras.backend.products import batch_dot as batch_dot
from tapeflow._src.keras.backend.products import bias_add as bias_add
from tapeflow._src.keras.backend.products import dot as dot
from tapeflow._src.keras.backend.random import dropout as dropout
from tapeflow._src.keras.backend.random import random_bernoulli as random_bernoulli
from tapeflow._src.keras.backend.random import random_binomial as random_binomial
from tapeflow._src.keras.backend.random import random_normal as random_normal
from tapeflow._src.keras.backend.random import random_normal_variable as random_normal_variable
from tapeflow._src.keras.backend.random import random_uniform as random_uniform
from tapeflow._src.keras.backend.random import random_uniform_variable as random_uniform_variable
from tapeflow._src.keras.backend.random import truncated_normal as truncated_normal
from tapeflow._src.keras.backend.reductions import all as all
from tapeflow._src.keras.backend.reductions import any as any
from tapeflow._src.keras.backend.reductions import argmax as argmax
from tapeflow._src.keras.backend.reductions import argmin as argmin
from tapeflow._src.keras.backend.reductions import cumprod as cumprod
from tapeflow._src.keras.backend.reductions import cumsum as cumsum
from tapeflow._src.keras.backend.reductions import in_top_k as in_top_k
from tapeflow._src.keras.backend.reductions import max as max
from tapeflow._src.keras.backend.reductions import mean as mean
from tapeflow._src.keras.backend.reductions import min as min
from tapeflow._src.keras.backend.reductions import prod as prod
from tapeflow._src.keras.backend.reductions import std as std
from tapeflow._src.keras.backend.reductions import sum as sum
from tapeflow._src.keras.backend.reductions import var as var
from tapeflow._src.keras.backend.shapes import arange as arange
from tapeflow._src.keras.backend.shapes import batch_flatten as batch_flatten
from tapeflow._src.keras.backend.shapes import concatenate as concatenate
from tapeflow._src.keras.backend.shapes import expand_dims as expand_dims
from tapeflow._src.keras.backend.shapes import flatten as flatten
from tapeflow._src.keras.backend.shapes import gather as gather
from tapeflow._src.keras.backend.shapes import one_hot as one_hot
from tapeflow._src.keras.backend.shapes import permute_dimensions as permute_dimensions
from tapeflow._src.keras.backend.shapes import repeat as repeat
from tapeflow._src.keras.backend.shapes import repeat_elements as repeat_elements
from tapeflow._src.keras.backend.shapes import reshape as reshape
from tapeflow._src.keras.backend.shapes import resize_images as resize_images
from tapeflow._src.keras.backend.shapes import resize_volumes as resize_volumes
from tapeflow._src.keras.backend.shapes import reverse as reverse
from tapeflow._src.keras.backend.shapes import shape as shape
from tapeflow._src.keras.backend.shapes import spatial_2d_padding as spatial_2d_padding
from tapeflow._src.keras.backend.shapes import spatial_3d_padding as spatial_3d_padding
from tapeflow._src.keras.backend.shapes import squeeze as squeeze
from tapeflow._src.keras.backend.shapes import stack as stack
from tapeflow._src.keras.backend.shapes import temporal_padding as temporal_padding
from tapeflow._src.keras.backend.shapes import tile as tile
from tapeflow._src.keras.backend.shapes import transpose as transpose
from tapeflow._src.keras.backend.values import (
    manual_variable_initialization as manual_variable_initialization,
)
from tapeflow._src.keras.backend.values import batch_get_value as batch_get_value
from tapeflow._src.keras.backend.values import batch_set_value as batch_set_value
from tapeflow._src.keras.backend.values import cast_to_floatx as cast_to_floatx
from tapeflow._src.keras.backend.values import constant as constant
from tapeflow._src.keras.backend.values import count_params as count_params
from tapeflow._src.keras.backend.values import dtype as dtype
from tapeflow._src.keras.backend.values import eval as eval
from tapeflow._src.keras.backend.values import eye as eye
from tapeflow._src.keras.backend.values import get_value as get_value
from tapeflow._src.keras.backend.values import int_shape as int_shape
from tapeflow._src.keras.backend.values import is_float_dtype as is_float_dtype
from tapeflow._src.keras.backend.values import is_int_dtype as is_int_dtype
from tapeflow._src.keras.backend.values import is_sparse as is_sparse
from tapeflow._src.keras.backend.values import moving_average_update as moving_average_update
from tapeflow._src.keras.backend.values import ndim as ndim
from tapeflow._src.keras.backend.values import ones as ones
from tapeflow._src.keras.backend.values import ones_like as ones_like
from tapeflow._src.keras.backend.values import print_tensor as print_tensor
from tapeflow._src.keras.backend.values import set_value as set_value
from tapeflow._src.keras.backend.values import to_dense as to_dense
from tapeflow._src.keras.backend.values import update as update
from tapeflow._src.keras.backend.values import update_add as update_add
from tapeflow._src.keras.backend.values import update_sub as update_sub
from tapeflow._src.keras.backend.values import variable as variable
from tapeflow._src.keras.backend.values import zeros as zeros
from tapeflow._src.keras.backend.values import zeros_like as zeros_like
from tapeflow._src.keras.config import backend as backend
from tapeflow._src.keras.config import epsilon as epsilon
from tapeflow._src.keras.config import floatx as floatx
from tapeflow._src.keras.config import image_data_format as image_data_format
from tapeflow._src.keras.config import set_epsilon as set_epsilon
from tapeflow._src.keras.config import set_floatx as set_floatx
from tapeflow._src.keras.config import set_image_data_format as set_image_data_format
from tapeflow._src.keras.config import standardize_dtype as standardize_dtype
from tapeflow._src.keras.ops.promotion import result_type as result_type
from tapeflow._src.keras.scopes import name_scope as name_scope
from tapeflow._src.keras.session import clear_session as clear_session
from tapeflow._src.keras.utils.naming import get_uid as get_uid
from tapeflow._src.keras.utils.naming import reset_uids as reset_uids
from tapeflow.keras.backend import experimental as experimental
