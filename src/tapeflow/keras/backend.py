"""The public namespace `tf.keras.backend`: settings, and a few functions of old."""

from __future__ import annotations

from typing import Any as _Any

import tapeflow as tf
from tapeflow.keras.config import backend as backend
from tapeflow.keras.config import epsilon as epsilon
from tapeflow.keras.config import floatx as floatx
from tapeflow.keras.config import image_data_format as image_data_format
from tapeflow.keras.config import set_epsilon as set_epsilon
from tapeflow.keras.config import set_floatx as set_floatx
from tapeflow.keras.config import set_image_data_format as set_image_data_format
from tapeflow.keras.config import standardize_dtype as standardize_dtype
from tapeflow.keras.keras_tensor import is_keras_tensor as is_keras_tensor
from tapeflow.keras.scopes import name_scope as name_scope
from tapeflow.keras.session import clear_session as clear_session
from tapeflow.keras.utils.naming import get_uid as get_uid


def cast_to_floatx(x: _Any) -> _Any:
    """Numbers in the dtype `floatx()`."""
    return tf.cast(x, floatx())


def is_float_dtype(dtype: _Any) -> bool:
    """Whether a dtype is one of floating-point numbers."""
    return "float" in standardize_dtype(dtype)


def is_int_dtype(dtype: _Any) -> bool:
    """Whether a dtype is one of whole numbers."""
    return "int" in standardize_dtype(dtype)
