"""The abstract classes of functions in `tf.types.experimental`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Callable(ABC):
    """A function with known types of arguments and result."""

    @property
    @abstractmethod
    def function_type(self) -> Any:
        """The parameters and their types."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say how it is called.")


class AtomicFunction(Callable):
    """A function that runs one graph, and takes its captures as arguments."""

    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> Any:
        """Run the graph with these arguments and captures.

        Args:
            args: Positional arguments.
            kwargs: Keyword arguments.
            captures: The values of the captured tensors.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it is called.")


class ConcreteFunction(Callable):
    """A function that runs one graph, and holds its captures."""

    @property
    @abstractmethod
    def inference_fn(self) -> AtomicFunction:
        """The graph without captures."""


class PolymorphicFunction(Callable):
    """A function with one graph per combination of argument types: what `tf.function` returns.

    Example:
        >>> f = tf.function(lambda x: x + 1)
        >>> isinstance(f, tf.types.experimental.PolymorphicFunction)
        True
    """

    @abstractmethod
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the function for arguments of one type, tracing it if needed."""

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Any:
        """Return a function that returns the compiled code as text."""
        raise NotImplementedError(f"{type(self).__name__} is not compiled.")


GenericFunction = PolymorphicFunction
