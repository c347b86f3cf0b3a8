"""Errors: a class for each code, what it tells, and that it survives pickling."""

import copy
import pickle
import traceback
from types import SimpleNamespace

import pytest

import tapeflow as tf
from tapeflow._src.core import errors
from tapeflow._src.core.shape import TensorShape

CODES = {
    1: ("CANCELLED", "CancelledError"),
    2: ("UNKNOWN", "UnknownError"),
    3: ("INVALID_ARGUMENT", "InvalidArgumentError"),
    4: ("DEADLINE_EXCEEDED", "DeadlineExceededError"),
    5: ("NOT_FOUND", "NotFoundError"),
    6: ("ALREADY_EXISTS", "AlreadyExistsError"),
    7: ("PERMISSION_DENIED", "PermissionDeniedError"),
    8: ("RESOURCE_EXHAUSTED", "ResourceExhaustedError"),
    9: ("FAILED_PRECONDITION", "FailedPreconditionError"),
    10: ("ABORTED", "AbortedError"),
    11: ("OUT_OF_RANGE", "OutOfRangeError"),
    12: ("UNIMPLEMENTED", "UnimplementedError"),
    13: ("INTERNAL", "InternalError"),
    14: ("UNAVAILABLE", "UnavailableError"),
    15: ("DATA_LOSS", "DataLossError"),
    16: ("UNAUTHENTICATED", "UnauthenticatedError"),
}


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_its_class(code):
    constant, class_name = CODES[code]
    cls = getattr(errors, class_name)
    assert getattr(errors, constant) == code
    assert errors.exception_type_from_error_code(code) is cls
    assert errors.error_code_from_exception_type(cls) == code
    error = cls(None, None, "what happened", {"key": b"value"})
    assert isinstance(error, errors.OpError)
    for same in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(same) is cls
        assert str(same) == same.message == "what happened"
        assert same.op is same.node_def is None
        assert same.error_code == code
        assert same.experimental_payloads == {"key": b"value"}


def test_codes_that_have_no_class():
    for code in (errors.OK, 99):
        with pytest.raises(KeyError):
            errors.exception_type_from_error_code(code)
    assert errors.error_code_from_exception_type(ValueError) == errors.UNKNOWN


def test_the_base_class_takes_any_code():
    error = errors.OpError(None, None, "m", 3)
    assert pickle.loads(pickle.dumps(error)).error_code == 3
    assert error.experimental_payloads == {}


def test_arguments_are_required():
    with pytest.raises(TypeError):
        errors.InvalidArgumentError("only a message")
    assert errors.InvalidArgumentError(None, None, "m", 1).experimental_payloads == {}


def test_a_graph_op_is_named_with_its_stack():
    frame = traceback.FrameSummary("model.py", 7, "loss", line="tf.square(x)")
    op = SimpleNamespace(name="sq", traceback=[frame])
    error = errors.InternalError("def", op, "boom")
    assert error.op is op and error.node_def == "def" and error.message == "boom"
    assert str(error) == (
        "boom\n\nOriginal stack trace for 'sq':\n"
        '  File "model.py", line 7, in loss\n    tf.square(x)\n'
    )


def test_a_graph_op_without_a_stack():
    error = errors.InternalError(None, SimpleNamespace(name="sq"), "boom")
    assert "'sq'" in str(error)


def test_operator_not_allowed_is_a_type_error():
    assert issubclass(errors.OperatorNotAllowedInGraphError, TypeError)
    assert not issubclass(errors.OperatorNotAllowedInGraphError, errors.OpError)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((2, None), "[2,?]"),
        ((), "[]"),
        ([3], "[3]"),
        (None, "<unknown>"),
        (TensorShape(None), "<unknown>"),
        (TensorShape([2, None]), "[2,?]"),
    ],
)
def test_shapes_in_messages(shape, text):
    assert errors.fmt_shape(shape) == text


def test_the_text_of_a_library_error_ends_with_the_users_line() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
    *_, last = str(raised.value).splitlines()
    assert last.startswith(f"At {__file__}:")
    assert last.endswith("tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])")
    assert "At " not in raised.value.message
    copy = pickle.loads(pickle.dumps(raised.value))
    assert str(copy) == str(raised.value)
