"""The activation functions of layers: those of `keras.ops`, some with other arguments."""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.activations.activations import mish as mish
from tapeflow._src.keras.activations.activations import relu as relu
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.ops import activations as _ops
from tapeflow._src.keras.ops.activations import celu as celu
from tapeflow._src.keras.ops.activations import elu as elu
from tapeflow._src.keras.ops.activations import glu as glu
from tapeflow._src.keras.ops.activations import hard_shrink as hard_shrink
from tapeflow._src.keras.ops.activations import hard_silu as hard_silu
from tapeflow._src.keras.ops.activations import hard_tanh as hard_tanh
from tapeflow._src.keras.ops.activations import leaky_relu as leaky_relu
from tapeflow._src.keras.ops.activations import log_sigmoid as log_sigmoid
from tapeflow._src.keras.ops.activations import log_softmax as log_softmax
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
from tapeflow._src.keras.ops.activations import tanh_shrink as tanh_shrink
from tapeflow._src.keras.ops.activations import threshold as threshold
from tapeflow._src.keras.ops.arithmetic import add, multiply
from tapeflow._src.keras.ops.elementwise import clip
from tapeflow._src.keras.ops.exponents import exp
from tapeflow._src.keras.ops.trigonometry import tanh as tanh


def hard_sigmoid(x: TensorLike) -> Any:
    """Compute a piecewise linear approximation of the sigmoid: `relu6(x + 3) / 6`.

    In Keras 2 it is `0.2 * x + 0.5`, limited to between 0 and 1.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape of `x` with values between 0 and 1.

    Example:
        >>> tf.keras.activations.hard_sigmoid([-4.0, 0.0, 4.0]).numpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    if is_keras_2():
        return clip(add(multiply(x, 0.2), 0.5), 0.0, 1.0)
    return _ops.hard_sigmoid(x)


def linear(x: TensorLike) -> Any:
    """Return `x` as it is: the linear activation.

    Args:
        x: Anything.

    Returns:
        `x` itself.

    Example:
        >>> tf.keras.activations.linear(3.0)
        3.0
    """
    return x


def exponential(x: TensorLike) -> Any:
    """Compute the exponential activation: `exp(x)`.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.activations.exponential([0.0, 1.0]).numpy().round(4)
        array([1.    , 2.7183], dtype=float32)
    """
    return exp(x)


def gelu(x: TensorLike, approximate: bool = False) -> Any:
    """Compute the Gaussian error linear unit: `x * Φ(x)`.

    Args:
        x: Tensor, or a value that converts to one.
        approximate: Whether to compute Φ, the normal distribution function, with `tanh` instead of
            `erf`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.activations.gelu([-1.0, 0.0, 2.0]).numpy().round(4)
        array([-0.1587,  0.    ,  1.9545], dtype=float32)
    """
    return _ops.gelu(x, approximate)


swish = silu
hard_swish = hard_silu
