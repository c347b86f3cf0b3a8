"""The functions of `keras.backend` on tensors, by the file that defines them."""

from __future__ import annotations

FILES: dict[str, tuple[str, ...]] = {
    "convolutions": (
        *("conv1d", "conv2d", "conv2d_transpose", "conv3d", "depthwise_conv2d", "local_conv1d"),
        *("local_conv2d", "pool2d", "pool3d", "separable_conv2d"),
    ),
    "crossentropies": (
        *("binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy"),
        *("categorical_focal_crossentropy", "sparse_categorical_crossentropy"),
    ),
    "ctc": ("ctc_batch_cost", "ctc_decode", "ctc_label_dense_to_sparse"),
    "elementwise": (
        *("abs", "cast", "clip", "cos", "elu", "equal", "exp", "greater", "greater_equal"),
        *("hard_sigmoid", "less", "less_equal", "log", "maximum", "minimum", "not_equal", "pow"),
        *("relu", "round", "sigmoid", "sign", "sin", "softmax", "softplus", "softsign", "sqrt"),
        *("square", "stop_gradient", "tanh"),
    ),
    "loops": ("foldl", "foldr", "map_fn", "rnn"),
    "models": ("function", "gradients", "is_keras_tensor", "placeholder"),
    "normalization": ("batch_normalization", "l2_normalize", "normalize_batch_in_training"),
    "phases": (
        *("in_test_phase", "in_train_phase", "learning_phase", "learning_phase_scope"),
        *("set_learning_phase", "switch"),
    ),
    "products": ("batch_dot", "bias_add", "dot"),
    "random": (
        *("dropout", "random_bernoulli", "random_binomial", "random_normal"),
        *("random_normal_variable", "random_uniform", "random_uniform_variable"),
        "truncated_normal",
    ),
    "reductions": (
        *("all", "any", "argmax", "argmin", "cumprod", "cumsum", "in_top_k", "max"),
        *("mean", "min", "prod", "std", "sum", "var"),
    ),
    "shapes": (
        *("arange", "batch_flatten", "concatenate", "expand_dims", "flatten", "gather", "one_hot"),
        *("permute_dimensions", "repeat", "repeat_elements", "reshape", "resize_images"),
        *("resize_volumes", "reverse", "shape", "spatial_2d_padding", "spatial_3d_padding"),
        *("squeeze", "stack", "temporal_padding", "tile", "transpose"),
    ),
    "values": (
        *("batch_get_value", "batch_set_value", "cast_to_floatx", "constant", "count_params"),
        *("dtype", "eval", "eye", "get_value", "int_shape", "is_float_dtype", "is_int_dtype"),
        *("is_sparse", "manual_variable_initialization", "moving_average_update", "ndim", "ones"),
        *("ones_like", "print_tensor", "set_value", "to_dense", "update", "update_add"),
        *("update_sub", "variable", "zeros", "zeros_like"),
    ),
}
