"""`tf.types.experimental`: kinds of functions, and the types by which functions are traced."""

from typing import TypeAlias, Union

import numpy as _np

from tapeflow.core.tensor import Tensor as _Tensor
from tapeflow.core.trace_type import SupportsTracingProtocol as SupportsTracingProtocol
from tapeflow.core.trace_type import TraceType as TraceType
from tapeflow.function.concrete import ConcreteFunction as _ConcreteFunction
from tapeflow.function.function_type import FunctionType as FunctionType
from tapeflow.function.interfaces import AtomicFunction as AtomicFunction
from tapeflow.function.interfaces import Callable as Callable
from tapeflow.function.interfaces import ConcreteFunction as ConcreteFunction
from tapeflow.function.interfaces import GenericFunction as GenericFunction
from tapeflow.function.interfaces import PolymorphicFunction as PolymorphicFunction
from tapeflow.types.experimental import distributed as distributed

# What is converted to a tensor where one is expected.
TensorLike: TypeAlias = Union[  # noqa: UP007
    _Tensor, int, float, bool, str, bytes, complex, tuple, list, _np.ndarray, _np.generic
]

ConcreteFunction.register(_ConcreteFunction)
