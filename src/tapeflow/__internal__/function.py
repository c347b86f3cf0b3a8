"""The classes of functions that run as graphs."""

from tapeflow.function.concrete import ConcreteFunction as ConcreteFunction
from tapeflow.function.polymorphic import Function as Function
