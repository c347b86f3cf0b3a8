# Made by `make stubs` from the table in the module of the same name.

from tapeflow.keras.backend import experimental as experimental
from tapeflow.keras.backend.convolutions import conv1d as conv1d
from tapeflow.keras.backend.convolutions import conv2d as conv2d
from tapeflow.keras.backend.convolutions import conv2d_transpose as conv2d_transpose
from tapeflow.keras.backend.convolutions import conv3d as conv3d
from tapeflow.keras.backend.convolutions import depthwise_conv2d as depthwise_conv2d
from tapeflow.keras.backend.convolutions import local_conv1d as local_conv1d
from tapeflow.keras.backend.convolutions import local_conv2d as local_conv2d
from tapeflow.keras.backend.convolutions import pool2d as pool2d
from tapeflow.keras.backend.convolutions import pool3d as pool3d
from tapeflow.keras.backend.convolutions import separable_conv2d as separable_conv2d
from tapeflow.keras.backend.crossentropies import (
    binary_focal_crossentropy as binary_focal_crossentropy,
)
from tapeflow.keras.backend.crossentropies import (
    categorical_crossentropy as categorical_crossentropy,
)
from tapeflow.keras.backend.crossentropies import (
    categorical_focal_crossentropy as categorical_focal_crossentropy,
)
from tapeflow.keras.backend.crossentropies import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from tapeflow.keras.backend.crossentropies import binary_crossentropy as binary_crossentropy
from tapeflow.keras.backend.ctc import ctc_batch_cost as ctc_batch_cost
from tapeflow.keras.backend.ctc import ctc_decode as ctc_decode
from tapeflow.keras.backend.ctc import ctc_label_dense_to_sparse as ctc_label_dense_to_sparse
from tapeflow.keras.backend.elementwise import abs as abs
from tapeflow.keras.backend.elementwise import cast as cast
from tapeflow.keras.backend.elementwise import clip as clip
from tapeflow.keras.backend.elementwise import cos as cos
from tapeflow.keras.backend.elementwise import elu as elu
from tapeflow.keras.backend.elementwise import equal as equal
from tapeflow.keras.backend.elementwise import exp as exp
from tapeflow.keras.backend.elementwise import greater as greater
from tapeflow.keras.backend.elementwise import greater_equal as greater_equal
from tapeflow.keras.backend.elementwise import hard_sigmoid as hard_sigmoid
from tapeflow.keras.backend.elementwise import less as less
from tapeflow.keras.backend.elementwise import less_equal as less_equal
from tapeflow.keras.backend.elementwise import log as log
from tapeflow.keras.backend.elementwise import maximum as maximum
from tapeflow.keras.backend.elementwise import minimum as minimum
from tapeflow.keras.backend.elementwise import not_equal as not_equal
from tapeflow.keras.backend.elementwise import pow as pow
from tapeflow.keras.backend.elementwise import relu as relu
from tapeflow.keras.backend.elementwise import round as round
from tapeflow.keras.backend.elementwise import sigmoid as sigmoid
from tapeflow.keras.backend.elementwise import sign as sign
from tapeflow.keras.backend.elementwise import sin as sin
from tapeflow.keras.backend.elementwise import softmax as softmax
from tapeflow.keras.backend.elementwise import softplus as softplus
from tapeflow.keras.backend.elementwise import softsign as softsign
from tapeflow.keras.backend.elementwise import sqrt as sqrt
from tapeflow.keras.backend.elementwise import square as square
from tapeflow.keras.backend.elementwise import stop_gradient as stop_gradient
from tapeflow.keras.backend.elementwise import tanh as tanh
from tapeflow.keras.backend.loops import foldl as foldl
from tapeflow.keras.backend.loops import foldr as foldr
from tapeflow.keras.backend.loops import map_fn as map_fn
from tapeflow.keras.backend.loops import rnn as rnn
from tapeflow.keras.backend.models import function as function
from tapeflow.keras.backend.models import gradients as gradients
from tapeflow.keras.backend.models import is_keras_tensor as is_keras_tensor
from tapeflow.keras.backend.models import placeholder as placeholder
from tapeflow.keras.backend.normalization import (
    normalize_batch_in_training as normalize_batch_in_training,
)
from tapeflow.keras.backend.normalization import batch_normalization as batch_normalization
from tapeflow.keras.backend.normalization import l2_normalize as l2_normalize
from tapeflow.keras.backend.phases import in_test_phase as in_test_phase
from tapeflow.keras.backend.phases import in_train_phase as in_train_phase
from tapeflow.keras.backend.phases import learning_phase as learning_phase
from tapeflow.keras.backend.phases import learning_phase_scope as learning_phase_scope
from tapeflow.keras.backend.phases import set_learning_phase as set_learning_phase
from tapeflow.keras.backend.phases import switch as switch
from tapeflow.keras.backend.products import batch_dot as batch_dot
from tapeflow.keras.backend.products import bias_add as bias_add
from tapeflow.keras.backend.products import dot as dot
from tapeflow.keras.backend.random import dropout as dropout
from tapeflow.keras.backend.random import random_bernoulli as random_bernoulli
from tapeflow.keras.backend.random import random_binomial as random_binomial
from tapeflow.keras.backend.random import random_normal as random_normal
from tapeflow.keras.backend.random import random_normal_variable as random_normal_variable
from tapeflow.keras.backend.random import random_uniform as random_uniform
from tapeflow.keras.backend.random import random_uniform_variable as random_uniform_variable
from tapeflow.keras.backend.random import truncated_normal as truncated_normal
from tapeflow.keras.backend.reductions import all as all
from tapeflow.keras.backend.reductions import any as any
from tapeflow.keras.backend.reductions import argmax as argmax
from tapeflow.keras.backend.reductions import argmin as argmin
from tapeflow.keras.backend.reductions import cumprod as cumprod
from tapeflow.keras.backend.reductions import cumsum as cumsum
from tapeflow.keras.backend.reductions import in_top_k as in_top_k
from tapeflow.keras.backend.reductions import max as max
from tapeflow.keras.backend.reductions import mean as mean
from tapeflow.keras.backend.reductions import min as min
from tapeflow.keras.backend.reductions import prod as prod
from tapeflow.keras.backend.reductions import std as std
from tapeflow.keras.backend.reductions import sum as sum
from tapeflow.keras.backend.reductions import var as var
from tapeflow.keras.backend.shapes import arange as arange
from tapeflow.keras.backend.shapes import batch_flatten as batch_flatten
from tapeflow.keras.backend.shapes import concatenate as concatenate
from tapeflow.keras.backend.shapes import expand_dims as expand_dims
from tapeflow.keras.backend.shapes import flatten as flatten
from tapeflow.keras.backend.shapes import gather as gather
from tapeflow.keras.backend.shapes import one_hot as one_hot
from tapeflow.keras.backend.shapes import permute_dimensions as permute_dimensions
from tapeflow.keras.backend.shapes import repeat as repeat
from tapeflow.keras.backend.shapes import repeat_elements as repeat_elements
from tapeflow.keras.backend.shapes import reshape as reshape
from tapeflow.keras.backend.shapes import resize_images as resize_images
from tapeflow.keras.backend.shapes import resize_volumes as resize_volumes
from tapeflow.keras.backend.shapes import reverse as reverse
from tapeflow.keras.backend.shapes import shape as shape
from tapeflow.keras.backend.shapes import spatial_2d_padding as spatial_2d_padding
from tapeflow.keras.backend.shapes import spatial_3d_padding as spatial_3d_padding
from tapeflow.keras.backend.shapes import squeeze as squeeze
from tapeflow.keras.backend.shapes import stack as stack
from tapeflow.keras.backend.shapes import temporal_padding as temporal_padding
from tapeflow.keras.backend.shapes import tile as tile
from tapeflow.keras.backend.shapes import transpose as transpose
from tapeflow.keras.backend.values import (
    manual_variable_initialization as manual_variable_initialization,
)
from tapeflow.keras.backend.values import batch_get_value as batch_get_value
from tapeflow.keras.backend.values import batch_set_value as batch_set_value
from tapeflow.keras.backend.values import cast_to_floatx as cast_to_floatx
from tapeflow.keras.backend.values import constant as constant
from tapeflow.keras.backend.values import count_params as count_params
from tapeflow.keras.backend.values import dtype as dtype
from tapeflow.keras.backend.values import eval as eval
from tapeflow.keras.backend.values import eye as eye
from tapeflow.keras.backend.values import get_value as get_value
from tapeflow.keras.backend.values import int_shape as int_shape
from tapeflow.keras.backend.values import is_float_dtype as is_float_dtype
from tapeflow.keras.backend.values import is_int_dtype as is_int_dtype
from tapeflow.keras.backend.values import is_sparse as is_sparse
from tapeflow.keras.backend.values import moving_average_update as moving_average_update
from tapeflow.keras.backend.values import ndim as ndim
from tapeflow.keras.backend.values import ones as ones
from tapeflow.keras.backend.values import ones_like as ones_like
from tapeflow.keras.backend.values import print_tensor as print_tensor
from tapeflow.keras.backend.values import set_value as set_value
from tapeflow.keras.backend.values import to_dense as to_dense
from tapeflow.keras.backend.values import update as update
from tapeflow.keras.backend.values import update_add as update_add
from tapeflow.keras.backend.values import update_sub as update_sub
from tapeflow.keras.backend.values import variable as variable
from tapeflow.keras.backend.values import zeros as zeros
from tapeflow.keras.backend.values import zeros_like as zeros_like
from tapeflow.keras.config import backend as backend
from tapeflow.keras.config import epsilon as epsilon
from tapeflow.keras.config import floatx as floatx
from tapeflow.keras.config import image_data_format as image_data_format
from tapeflow.keras.config import set_epsilon as set_epsilon
from tapeflow.keras.config import set_floatx as set_floatx
from tapeflow.keras.config import set_image_data_format as set_image_data_format
from tapeflow.keras.config import standardize_dtype as standardize_dtype
from tapeflow.keras.ops.promotion import result_type as result_type
from tapeflow.keras.scopes import name_scope as name_scope
from tapeflow.keras.session import clear_session as clear_session
from tapeflow.keras.utils.naming import get_uid as get_uid
from tapeflow.keras.utils.naming import reset_uids as reset_uids
