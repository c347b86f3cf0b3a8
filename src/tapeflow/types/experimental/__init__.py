"""`tf.types.experimental`: kinds of functions, and the types by which functions are traced."""

from typing import TypeAlias, Union

import numpy as _np

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.core.trace_type import SupportsTracingProtocol as SupportsTracingProtocol
from tapeflow._src.core.trace_type import TraceType as TraceType
from tapeflow._src.function.concrete import ConcreteFunction as _ConcreteFunction
from tapeflow._src.function.function_type import FunctionType as FunctionType
from tapeflow._src.function.interfaces import AtomicFunction as AtomicFunction
from tapeflow._src.function.interfaces import Callable as Callable
from tapeflow._src.function.interfaces import ConcreteFunction as ConcreteFunction
from tapeflow._src.function.interfaces import GenericFunction as GenericFunction
from tapeflow._src.function.interfaces import PolymorphicFunction as PolymorphicFunction
from tapeflow.types.experimental import distributed as distributed

# What is converted to a tensor where one is expected.
TensorLike: TypeAlias = Union[  # noqa: UP007
    _Tensor, int, float, bool, str, bytes, complex, tuple, list, _np.ndarray, _np.generic
]

ConcreteFunction.register(_ConcreteFunction)

_explain_missing(__name__)
