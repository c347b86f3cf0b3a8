"""The exceptions of `tf.errors`: one class for each status code, with what failed and where.

Ops raise these for bad values; wrong Python arguments stay `TypeError` and `ValueError`.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from tapeflow._src.core.source import Location, raised_by_library, user_location

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An op failed. `op` and `node_def` identify it, if it belongs to a graph.

    A mapping passed as the last argument becomes `experimental_payloads`. The text of an error
    that this library raises ends with the user's line that was run; `message` is without it.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.
        error_code: The status code.
        *args: A mapping as the last one becomes `experimental_payloads`.

    Example:
        >>> error = tf.errors.NotFoundError(None, None, "no file")
        >>> error.message, error.error_code
        ('no file', 5)
    """

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int, *args: Any) -> None:
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        payloads = args[-1] if args and isinstance(args[-1], Mapping) else {}
        self._experimental_payloads = dict(payloads)
        # What the user's own code creates has only the text that it was created with.
        self._location: Location | None = user_location() if raised_by_library(__file__) else None

    @property
    def message(self) -> str:
        return self._message

    @property
    def op(self) -> Any:
        """The graph operation that failed, or None (eager ops are not stored)."""
        return self._op

    @property
    def node_def(self) -> Any:
        return self._node_def

    @property
    def error_code(self) -> int:
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[str, Any]:
        return self._experimental_payloads

    def named(self, op_name: str, hint: str = "") -> Self:
        """Return this error with a hint and the failed op's type in its message."""
        self._message = f"{with_hint(self._message, hint)} [Op:{op_name}]"
        self.args = (self._message,)
        return self

    def __str__(self) -> str:
        if self._op is None:
            where = self._location
            return self._message if where is None else f"{self._message}\nAt {where.brief()}"
        frames = "".join(traceback.format_list(getattr(self._op, "traceback", None) or []))
        return f"{self._message}\n\nOriginal stack trace for {self._op.name!r}:\n{frames}"

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = self._node_def, self._op, self._message, self._error_code
        state = {"_location": self._location}
        return type(self), (*arguments, self._experimental_payloads), state


class _StatusError(OpError):
    """An `OpError` with the status code of its class."""

    code: ClassVar[int]

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, self.code, *args)

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = self._node_def, self._op, self._message, self._experimental_payloads
        return type(self), arguments, {"_location": self._location}


class CancelledError(_StatusError):
    """The operation was cancelled.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.CancelledError(None, None, "the queue was closed").error_code
        1
    """

    code = CANCELLED


class UnknownError(_StatusError):
    """The cause carries no better code.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> def fail():
        ...     raise SystemError("odd")
        >>> try:
        ...     tf.py_function(fail, [], tf.int32)
        ... except tf.errors.UnknownError as error:
        ...     print(error.error_code)
        2
    """

    code = UNKNOWN


class InvalidArgumentError(_StatusError):
    """An op received a value, shape or dtype that it cannot take.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> try:
        ...     tf.reshape([1, 2, 3], [2, 2])
        ... except tf.errors.InvalidArgumentError as error:
        ...     print(type(error).__name__)
        InvalidArgumentError
    """

    code = INVALID_ARGUMENT


class DeadlineExceededError(_StatusError):
    """Time ran out before the operation ended.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.DeadlineExceededError(None, None, "no answer in time").error_code
        4
    """

    code = DEADLINE_EXCEEDED


class NotFoundError(_StatusError):
    """A file, a key or another requested object does not exist.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> try:
        ...     tf.io.read_file("no_such_file")
        ... except tf.errors.NotFoundError as error:
        ...     print(error.error_code)
        5
    """

    code = NOT_FOUND


class AlreadyExistsError(_StatusError):
    """The object to be created already exists.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.io.gfile.mkdir("logs")
        >>> try:
        ...     tf.io.gfile.mkdir("logs")
        ... except tf.errors.AlreadyExistsError as error:
        ...     print(error.error_code)
    """

    code = ALREADY_EXISTS


class PermissionDeniedError(_StatusError):
    """The caller may not do this.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.PermissionDeniedError(None, None, "read-only").error_code
        7
    """

    code = PERMISSION_DENIED


class ResourceExhaustedError(_StatusError):
    """Memory, disk or another resource ran out.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.ResourceExhaustedError(None, None, "no memory").error_code
        8
    """

    code = RESOURCE_EXHAUSTED


class FailedPreconditionError(_StatusError):
    """The system is not in the state this needs, such as a variable not yet initialised.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.FailedPreconditionError(None, None, "not initialized").error_code
        9
    """

    code = FAILED_PRECONDITION


class AbortedError(_StatusError):
    """A concurrent operation interfered.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> error = tf.errors.AbortedError(None, None, "stopped by another worker")
        >>> error.error_code == tf.errors.ABORTED
        True
    """

    code = ABORTED


class OutOfRangeError(_StatusError):
    """An iteration or a read went past the end.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> iterator = iter(tf.data.Dataset.range(1))
        >>> n = iterator.get_next()
        >>> try:
        ...     iterator.get_next()
        ... except tf.errors.OutOfRangeError:
        ...     print("the end")
        the end
    """

    code = OUT_OF_RANGE


class ListIndexError(OutOfRangeError, InvalidArgumentError):
    """An index outside a `tf.TensorArray`.

    TensorFlow raises the one class eagerly and the other from graphs; here it is the same error
    whichever way the program runs, and both `except` clauses catch it.
    """


class UnimplementedError(_StatusError):
    """The op exists, but not for this case.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.UnimplementedError(None, None, "no kernel").error_code
        12
    """

    code = UNIMPLEMENTED


class InternalError(_StatusError):
    """An internal invariant was violated.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.InternalError(None, None, "broken invariant").error_code
        13
    """

    code = INTERNAL


class UnavailableError(_StatusError):
    """The service cannot be reached now.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.UnavailableError(None, None, "try again").error_code
        14
    """

    code = UNAVAILABLE


class DataLossError(_StatusError):
    """Stored data is damaged or truncated.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> with open("broken", "wb") as file:
        ...     n = file.write(bytes(40))
        >>> try:
        ...     next(iter(tf.data.TFRecordDataset("broken")))
        ... except tf.errors.DataLossError as error:
        ...     print(error.error_code)
        15
    """

    code = DATA_LOSS


class UnauthenticatedError(_StatusError):
    """The caller has not proved who it is.

    Args:
        node_def: The NodeDef of the failed operation, or None.
        op: The operation, or None.
        message: The text.

    Example:
        >>> tf.errors.UnauthenticatedError(None, None, "no credentials").error_code
        16
    """

    code = UNAUTHENTICATED


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value (`if`, `for`, `bool`, `len`).

    Example:
        >>> @tf.function(autograph=False)
        ... def f(x):
        ...     return 1 if x > 0 else 2
        >>> try:
        ...     f(tf.constant(1))
        ... except tf.errors.OperatorNotAllowedInGraphError:
        ...     print("use tf.cond or tf.where")
        use tf.cond or tf.where
    """


_CLASS_OF_CODE: dict[int, type[_StatusError]] = {
    cls.code: cls for cls in _StatusError.__subclasses__()
}


def with_hint(message: str, hint: str) -> str:
    """Return a message followed by a sentence on the repair, if there is one."""
    if not hint:
        return message
    message = message.rstrip()
    return f"{message}{'' if message.endswith(('.', '!', '?')) else '.'} {hint}"


def invalid(message: str) -> InvalidArgumentError:
    """Return an InvalidArgumentError that does not name its op yet."""
    return InvalidArgumentError(None, None, message)


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Return the class for a status code. `OK` and numbers that are no code raise KeyError."""
    return _CLASS_OF_CODE[error_code]


def error_code_from_exception_type(cls: type[BaseException]) -> int:
    """Return the status code of an exception class; `UNKNOWN` for other classes."""
    return cls.code if issubclass(cls, _StatusError) else UNKNOWN


def fmt_shape(shape: Iterable[int | None] | None) -> str:
    """Format `shape` for messages: `[2,?]`, `[]`, and `<unknown>` where the rank is unknown."""
    if shape is None or getattr(shape, "rank", 0) is None:
        return "<unknown>"
    return "[" + ",".join("?" if size is None else str(size) for size in shape) + "]"


_OF_PYTHON: tuple[tuple[tuple[type[Exception], ...], type[OpError]], ...] = (
    ((ValueError, TypeError), InvalidArgumentError),
    ((StopIteration,), OutOfRangeError),
    ((MemoryError,), ResourceExhaustedError),
    ((NotImplementedError,), UnimplementedError),
)


def error_of_python(error: Exception, message: str) -> OpError:
    """Return the error that an op raises when its Python function raises `error`."""
    kinds = (kind for raised, kind in _OF_PYTHON if isinstance(error, raised))
    return next(kinds, UnknownError)(None, None, message)  # type: ignore[call-arg]
