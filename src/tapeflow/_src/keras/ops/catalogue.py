"""The names of `keras.ops`, by family and by the file that declares them.

Ops are declared in files by theme. Keras names families of ops by module, such as `ops.numpy`, and
so do the configs of its files.
"""

from __future__ import annotations

HOME = "tapeflow._src.keras.ops"
# The families that are namespaces of Keras; the modules of the others are internal.
NAMESPACES = ("image", "linalg", "nn", "numpy")

FILES: dict[str, dict[str, tuple[str, ...]]] = {
    "core": {
        "control_flow": (
            *("associative_scan", "cond", "custom_gradient", "fori_loop", "map", "scan"),
            *("switch", "vectorized_map", "while_loop"),
        ),
        "conversion": (
            *("cast", "convert_to_numpy", "convert_to_tensor", "dtype", "is_tensor"),
            *("saturate_cast", "scatter", "scatter_update", "shape", "slice", "slice_update"),
            *("stop_gradient", "unstack"),
        ),
    },
    "numpy": {
        "arithmetic": (
            *("add", "divide", "divide_no_nan", "floor_divide", "fmax", "fmin", "fmod"),
            *("heaviside", "maximum", "minimum", "mod", "multiply", "nextafter", "power"),
            *("subtract", "true_divide"),
        ),
        "bits": (
            *("bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_not"),
            *("bitwise_or", "bitwise_right_shift", "bitwise_xor", "gcd", "lcm", "left_shift"),
            *("right_shift",),
        ),
        "comparisons": (
            *("equal", "greater", "greater_equal", "less", "less_equal", "logical_and"),
            *("logical_not", "logical_or", "logical_xor", "not_equal"),
        ),
        "creation": (
            *("arange", "array", "bartlett", "blackman", "empty", "empty_like", "eye"),
            *("full", "full_like", "geomspace", "hamming", "hanning", "identity", "kaiser"),
            *("linspace", "logspace", "ones", "ones_like", "tri", "vander", "zeros"),
            *("zeros_like",),
        ),
        "elementwise": (
            *("abs", "absolute", "ceil", "clip", "conj", "conjugate", "copy", "fabs"),
            *("floor", "imag", "nan_to_num", "negative", "real", "reciprocal", "round"),
            *("sign", "signbit", "trunc"),
        ),
        "exponents": (
            *("cbrt", "exp", "exp2", "expm1", "i0", "ldexp", "log", "log10", "log1p", "log2"),
            *("logaddexp", "logaddexp2", "sqrt", "square"),
        ),
        "indexing": (
            *("diag", "diagflat", "diagonal", "diff", "get_item", "select", "take"),
            *("take_along_axis", "trace", "tril", "triu", "unravel_index", "where"),
        ),
        "joining": (
            *("append", "array_split", "concatenate", "dsplit", "dstack", "hsplit", "hstack"),
            *("meshgrid", "split", "stack", "vsplit", "vstack"),
        ),
        "nan_reductions": (
            *("nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean"),
            *("nanmin", "nanprod", "nanstd", "nansum", "nanvar"),
        ),
        "predicates": (
            *("allclose", "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf"),
            *("isposinf", "isreal"),
        ),
        "products": (
            *("correlate", "cross", "dot", "einsum", "inner", "kron", "matmul", "outer"),
            *("slogdet", "tensordot", "vdot"),
        ),
        "quantiles": (
            *("bincount", "digitize", "histogram", "median", "nanmedian", "nanpercentile"),
            *("nanquantile", "percentile", "quantile"),
        ),
        "reductions": (
            *("all", "amax", "amin", "any", "argmax", "argmin", "average", "corrcoef"),
            *("count_nonzero", "cumprod", "cumsum", "max", "mean", "min", "prod", "ptp"),
            *("std", "sum", "trapezoid", "var"),
        ),
        "shapes": (
            *("broadcast_to", "expand_dims", "flip", "fliplr", "flipud", "moveaxis", "ndim"),
            *("pad", "ravel", "repeat", "reshape", "roll", "rot90", "size", "squeeze"),
            *("swapaxes", "tile", "transpose", "view"),
        ),
        "sorting": ("argpartition", "argsort", "nonzero", "searchsorted", "sort", "unique"),
        "trigonometry": (
            *("angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2"),
            *("arctanh", "cos", "cosh", "deg2rad", "hypot", "rad2deg", "sin", "sinc", "sinh"),
            *("tan", "tanh"),
        ),
        "vectorization": ("vectorize",),
    },
    "image": {
        "images": (
            *("crop_images", "extract_patches", "extract_patches_3d", "hsv_to_rgb", "pad_images"),
            *("resize", "rgb_to_grayscale", "rgb_to_hsv"),
        ),
        "resampling": ("scale_and_translate", "sobel_edges", "ssim"),
        "warping": (
            *("affine_transform", "elastic_transform", "gaussian_blur", "map_coordinates"),
            "perspective_transform",
        ),
    },
    "einops": {"rearranging": ("rearrange",)},
    "linalg": {
        "matrices": (
            *("cholesky", "cholesky_inverse", "det", "eig", "eigh", "inv", "jvp", "lstsq"),
            *("lu_factor", "matrix_rank", "norm", "pinv", "qr", "solve", "solve_triangular", "svd"),
        ),
    },
    "nn": {
        "activations": (
            *("celu", "elu", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu"),
            *("hard_swish", "swish"),
            *("hard_tanh", "leaky_relu", "log_sigmoid", "log_softmax", "relu", "relu6", "selu"),
            *("sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign"),
            *("sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "tanh_shrink"),
            "threshold",
        ),
        "attention": ("dot_product_attention",),
        "blocks": ("depth_to_space", "fold", "polar", "space_to_depth", "unfold"),
        "convolutions": ("conv", "conv_transpose", "depthwise_conv", "separable_conv"),
        "crossentropies": (
            *("binary_crossentropy", "categorical_crossentropy"),
            "sparse_categorical_crossentropy",
        ),
        "normalizations": (
            *("batch_normalization", "layer_normalization", "moments", "normalize", "psnr"),
            "rms_normalization",
        ),
        "pooling": ("adaptive_average_pool", "adaptive_max_pool", "average_pool", "max_pool"),
        "sequences": ("ctc_decode", "ctc_loss", "multi_hot", "one_hot"),
    },
    "math": {
        "fourier": (
            *("extract_sequences", "fft", "fft2", "ifft2", "irfft", "istft", "rfft", "stft"),
        ),
        "segments": ("segment_max", "segment_min", "segment_prod", "segment_sum"),
        "special": (
            *("cdist", "erf", "erfc", "erfinv", "in_top_k", "logdet", "logsumexp", "rsqrt"),
            *("top_k", "view_as_complex", "view_as_real"),
        ),
    },
}


def module_of(family: str) -> str:
    """Return the module whose name the `Operation` classes of a family carry."""
    return f"tapeflow.keras.ops.{family}" if family in NAMESPACES else f"{HOME}.{family}"


def places(families: tuple[str, ...]) -> dict[str, str]:
    """The module that each name of these families is found in."""
    return {
        name: f"{HOME}.{file}"
        for family in families
        for file, names in FILES[family].items()
        for name in names
    }
