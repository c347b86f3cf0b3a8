"""The classes of functions that run as graphs."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.function.concrete import ConcreteFunction as ConcreteFunction
from tapeflow._src.function.polymorphic import Function as Function

_explain_missing(__name__)
