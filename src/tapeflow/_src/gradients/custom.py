"""Functions with a custom gradient: `tf.custom_gradient` and what is built on it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import update_wrapper
from itertools import chain
from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.signatures import WrappedSignature
from tapeflow._src.core.tensor import acts_as_variable
from tapeflow._src.gradients.endpoints import differentiable_parts, with_parts
from tapeflow._src.gradients.forward import ForwardAccumulator
from tapeflow._src.gradients.tape import GradientTape
from tapeflow._src.gradients.token import tokens_of_results
from tapeflow._src.ops.array.common import identity
from tapeflow._src.ops.array.shape import identity_n
from tapeflow._src.ops.indexed_slices import IndexedSlices


class VariableWatcher:
    """A recorder of the trainable variables that are read, and of nothing else."""

    def __init__(self) -> None:
        self._variables: dict[int, Any] = {}

    def record(self, op: Any, inputs: Any, attrs: Any, outputs: Any) -> None:
        """Ignore op calls; only variable reads are recorded."""

    def variable_accessed(self, variable: Any) -> None:
        if variable.trainable:
            self._variables[id(variable)] = variable

    def takes(self, tensors: Iterable[Any]) -> bool:
        return False

    def left(self, tensor: Any, how: str) -> None:
        """Ignore values that go to NumPy or Python."""

    def record_custom(self, pull: Any, inputs: Any, outputs: Any) -> None:
        """Ignore calls with a custom gradient as well."""

    def variables_besides(self, arguments: list[Any]) -> list[Any]:
        """Return the variables read that were not passed in, in order of creation."""
        argument_ids = {id(argument) for argument in arguments}
        variables = [v for i, v in self._variables.items() if i not in argument_ids]
        return sorted(variables, key=lambda v: v._creation_index)


class CustomGradient:
    """A function that returns its result together with its gradient function."""

    __signature__ = WrappedSignature()

    def __init__(self, f: Callable[..., Any], stands_for: Callable[..., Any] | None = None) -> None:
        update_wrapper(self, stands_for or f)
        self._f = f

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        # The instance is bound: it is no argument to differentiate with respect to.
        return CustomGradient(self._f.__get__(instance, owner), stands_for=self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(map(acts_as_variable, nest.flatten(args))):
            # Read here: inside the function these variables would not count as arguments.
            args = nest.map_structure(
                lambda x: dispatch.convert(x) if acts_as_variable(x) else x, args
            )
        watcher = VariableWatcher()
        with dispatch.use_recorders((*dispatch.state.recorders, watcher)):
            returned = self._f(*args, **kwargs)
        result, grad_fn = self._result_and_gradient(returned)
        arguments = nest.flatten(args)
        variables = watcher.variables_besides(arguments + nest.flatten(kwargs))
        if variables:
            _require_variables_keyword(grad_fn, variables)
        results = nest.flatten(result)
        argument_parts = [differentiable_parts(x) for x in arguments]
        result_parts = [differentiable_parts(x) for x in results]
        inputs = tuple(dispatch.convert(x) for x in (*chain(*argument_parts), *variables))
        outputs = [dispatch.convert(x) for x in chain(*result_parts)]
        pull = _pull(
            _for_parts(grad_fn, results, [len(p) for p in argument_parts]), inputs, variables
        )
        after = iter(with_gradient(outputs, inputs, pull))
        whole = [with_parts(x, [next(after) for _ in p]) for x, p in zip(results, result_parts)]
        return nest.pack_sequence_as(result, whole)

    def _result_and_gradient(self, returned: Any) -> tuple[Any, Callable[..., Any]]:
        if isinstance(returned, (tuple, list)) and len(returned) == 2 and callable(returned[1]):
            return returned[0], returned[1]
        raise TypeError(
            f"A function with @tf.custom_gradient returns its result and the function of the "
            f"gradient, `return y, grad`; {getattr(self._f, '__name__', self._f)} returned "
            f"{returned!r}."
        )


def _require_variables_keyword(grad_fn: Callable[..., Any], variables: list[Any]) -> None:
    parameters = inspect.signature(grad_fn).parameters
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    if "variables" not in parameters and not takes_any:
        raise TypeError(
            "@tf.custom_gradient: the function reads variables, so its gradient function must "
            "accept the keyword 'variables'. Write `def grad(dy, variables=None)` and return the "
            "gradients of the arguments and a list with those of the variables. Variables read: "
            f"{variables}."
        )


def _for_parts(
    grad_fn: Callable[..., Any], results: list[Any], counts: list[int]
) -> Callable[..., tuple[list[Any], Any]]:
    """Wrap `grad_fn` to take gradients w.r.t. the differentiable parts of the results.

    The wrapper computes gradients w.r.t. the parts of the arguments, `counts[i]` for the i-th,
    and returns what `grad_fn` returned for the variables.
    """
    composites = _composites(results)

    def pull(*gradients: Any, variables: list[Any]) -> tuple[list[Any], Any]:
        parts = iter(gradients)
        whole = [
            next(parts)
            if composite is None
            else with_parts(composite[0], [next(parts) for _ in range(composite[1])])
            for composite in composites
        ]
        if variables:
            returned, of_variables = grad_fn(*whole, variables=variables)
        else:
            returned, of_variables = grad_fn(*whole), []
        flat = nest.flatten(returned)
        if len(flat) != len(counts):
            raise ValueError(
                "@tf.custom_gradient: the gradient function must return one gradient per "
                f"argument, expected {len(counts)}, received {len(flat)}."
            )
        parts_by_argument = [
            _parts_of_gradient(g, count) for g, count in zip(flat, counts, strict=True)
        ]
        return list(chain(*parts_by_argument)), of_variables

    return pull


def _composites(results: list[Any]) -> list[tuple[Any, int] | None]:
    """Return the composite results with their number of parts; None for tensors.

    Tensors are not saved: they may be freed before the gradient is computed.
    """
    made_of = [(x, differentiable_parts(x)) for x in results]
    return [None if parts[0] is x else (x, len(parts)) for x, parts in made_of]


def _parts_of_gradient(gradient: Any, count: int) -> list[Any]:
    """Split the gradient w.r.t. an argument into the gradients w.r.t. its `count` parts."""
    if gradient is None:
        return [None] * count
    # Sparse lookups have a sparse gradient, which is that of a single tensor.
    return [gradient] if isinstance(gradient, IndexedSlices) else differentiable_parts(gradient)


def _pull(
    grad_fn: Callable[..., tuple[list[Any], Any]], inputs: tuple[Any, ...], variables: list[Any]
) -> Callable[..., list[Any]]:
    """Adapt `grad_fn` to records: one gradient for every argument and then every variable."""
    dtypes = [x.dtype for x in inputs]

    def pull(*gradients: Any) -> list[Any]:
        of_arguments, of_variables = grad_fn(*gradients, variables=variables)
        if len(of_variables) != len(variables):
            raise ValueError(
                "@tf.custom_gradient: the gradient function must return one gradient for each of "
                f"the {len(variables)} variables, received {len(of_variables)}."
            )
        return [
            g if g is None or isinstance(g, IndexedSlices) else dispatch.convert(g, None, dtype)
            for g, dtype in zip((*of_arguments, *of_variables), dtypes)
        ]

    return pull


def with_gradient(
    outputs: list[Any], inputs: tuple[Any, ...], pull: Callable[..., list[Any]]
) -> list[Any]:
    """Return `outputs` as new tensors, from which tapes go back to `inputs` by `pull`.

    A tape that follows none of the inputs sees through the function: what it follows may have been
    captured. So does an accumulator, and `pull` is for what it cannot see.
    """
    recorders = dispatch.state.recorders
    taking = [r for r in recorders if r.takes(inputs)]
    with dispatch.use_recorders(()):
        if dispatch.current_graph() is None:
            results = tuple([identity(output) for output in outputs])
        else:
            results = _marked(outputs, inputs, pull)
    tokens_of_results(results)
    for recorder in recorders:
        if recorder not in taking or isinstance(recorder, ForwardAccumulator):
            for output, result in zip(outputs, results, strict=True):
                recorder.record(identity, (output,), {}, (result,))
        if recorder in taking:
            recorder.record_custom(pull, inputs, results)
    return list(results)


class CustomPull:
    """The gradient of an operation of a graph, and how many of its values are results.

    The values that follow are the inputs that `pull` computes the gradients w.r.t.
    """

    __slots__ = ("pull", "results")

    def __init__(self, pull: Callable[..., list[Any]], results: int) -> None:
        self.pull = pull
        self.results = results


def _marked(
    outputs: list[Any], inputs: tuple[Any, ...], pull: Callable[..., list[Any]]
) -> tuple[Any, ...]:
    """Return the outputs of an operation that carries its gradient.

    A tape may differentiate the graph after it was traced, so the gradient is stored in the graph.
    """
    results = identity_n((*outputs, *inputs))
    results[0].op.attrs["_gradient"] = CustomPull(pull, len(outputs))
    return tuple(results[: len(outputs)])


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorate a function that returns `(result, grad)`; `grad` is used to differentiate it.

    `grad(*upstream)` receives the gradients w.r.t. the results and returns those w.r.t. the
    arguments. If the function reads variables that were not passed to it, `grad` takes a keyword
    `variables` and returns a pair: gradients of the arguments, list of gradients of the variables.

    Args:
        f: Function that returns its result and the function of its gradient; None, to use
            `@tf.custom_gradient()` with parentheses.

    Returns:
        The function, which returns the result only.

    Raises:
        TypeError: On a call, if `f` does not return such a pair, or if it reads variables and
            `grad`
            does not accept `variables`.

    Example:
        >>> @tf.custom_gradient
        ... def clipped(x):
        ...     return x, lambda upstream: tf.clip_by_value(upstream, -1.0, 1.0)
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = 10.0 * clipped(x)
        >>> tape.gradient(y, x).numpy()
        np.float32(1.0)
    """
    return CustomGradient if f is None else CustomGradient(f)


def recompute_grad(f: Callable[..., Any]) -> Any:
    """Recompute `f` when it is differentiated, so that no residuals are saved until then.

    This trades time for memory: the forward pass runs a second time during backpropagation.

    Args:
        f: Function of tensors.

    Returns:
        A function with the same results and gradients as `f`.

    Example:
        >>> block = tf.recompute_grad(lambda x: tf.sin(x) ** 2.0)
        >>> x = tf.constant(0.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = block(x)
        >>> tape.gradient(y, x).numpy()
        np.float32(0.0)
    """

    def compute(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: list[Any] | None = None) -> Any:
            with GradientTape() as tape:
                again = nest.map_structure(identity, args)
                tape.watch([again, variables or []])
                result = f(*again, **kwargs)
            sources = [nest.flatten(again), variables or []]
            gradients = tape.gradient(result, sources, output_gradients=upstream)
            return tuple(gradients) if variables else gradients[0]

        return _unrecorded(f, args, kwargs), grad

    return CustomGradient(compute, stands_for=f)


def _unrecorded(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `f` without recording it on tapes; variable reads are still recorded."""
    watchers = tuple(r for r in dispatch.state.recorders if isinstance(r, VariableWatcher))
    with dispatch.use_recorders(watchers):
        return f(*args, **kwargs)


def grad_pass_through(f: Callable[..., Any]) -> Any:
    """Return `f` with the gradient of the identity: a result's gradient goes to an argument.

    Useful for functions without a useful derivative, such as rounding ("straight-through").

    Args:
        f: Function with as many results as arguments, of the same shapes.

    Returns:
        The function with that gradient. Variables that it reads receive no gradient.

    Example:
        >>> rounded = tf.grad_pass_through(tf.round)
        >>> x = tf.constant(1.7)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = 3.0 * rounded(x)
        >>> y.numpy(), tape.gradient(y, x).numpy()
        (np.float32(6.0), np.float32(3.0))
    """

    def compute(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: list[Any] | None = None) -> Any:
            return (upstream, [None] * len(variables)) if variables else upstream

        return f(*args, **kwargs), grad

    return CustomGradient(compute, stands_for=f)
