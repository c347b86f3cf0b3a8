"""The names of `keras.ops`, by family and by the file that declares them.

Ops are declared in files by theme. Keras names families of ops by module, such as `ops.numpy`, and
so do the configs of its files.
"""

from __future__ import annotations

FILES: dict[str, dict[str, tuple[str, ...]]] = {
    "numpy": {
        "arithmetic": (
            *("add", "divide", "divide_no_nan", "floor_divide", "mod", "multiply", "power"),
            *("subtract", "true_divide"),
        ),
        "comparisons": (
            *("equal", "greater", "greater_equal", "less", "less_equal", "logical_and"),
            *("logical_not", "logical_or", "logical_xor", "not_equal"),
        ),
        "elementwise": ("abs", "absolute", "negative", "square"),
        "indexing": ("get_item",),
        "products": ("matmul",),
        "shapes": ("reshape", "squeeze", "transpose"),
    },
    "linalg": {
        "matrices": (
            *("cholesky", "cholesky_inverse", "det", "eig", "eigh", "inv", "jvp", "lstsq"),
            *("lu_factor", "matrix_rank", "norm", "pinv", "qr", "solve", "solve_triangular", "svd"),
        ),
    },
    "nn": {
        "activations": (
            *("celu", "elu", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu"),
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


_HOME = "tapeflow.keras.ops"


def places(families: tuple[str, ...]) -> dict[str, str]:
    """The module that each name of these families is found in."""
    return {
        name: f"{_HOME}.{file}"
        for family in families
        for file, names in FILES[family].items()
        for name in names
    }
