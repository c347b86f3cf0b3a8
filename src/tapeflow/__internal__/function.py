"""The classes of functions that run as graphs."""

from tapeflow._src.function.concrete import ConcreteFunction as ConcreteFunction
from tapeflow._src.function.polymorphic import Function as Function
