"""The public namespace `tf.keras.dtype_policies`."""

from tapeflow.keras.dtype_policies.policy import DTypePolicy as DTypePolicy
from tapeflow.keras.dtype_policies.policy import FloatDTypePolicy as FloatDTypePolicy
from tapeflow.keras.dtype_policies.policy import deserialize as deserialize
from tapeflow.keras.dtype_policies.policy import get as get
from tapeflow.keras.dtype_policies.policy import serialize as serialize
