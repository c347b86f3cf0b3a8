"""`tf.errors`: the exceptions that ops raise."""

from tapeflow._src.core.errors import ABORTED as ABORTED
from tapeflow._src.core.errors import ALREADY_EXISTS as ALREADY_EXISTS
from tapeflow._src.core.errors import CANCELLED as CANCELLED
from tapeflow._src.core.errors import DATA_LOSS as DATA_LOSS
from tapeflow._src.core.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from tapeflow._src.core.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from tapeflow._src.core.errors import INTERNAL as INTERNAL
from tapeflow._src.core.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from tapeflow._src.core.errors import NOT_FOUND as NOT_FOUND
from tapeflow._src.core.errors import OK as OK
from tapeflow._src.core.errors import OUT_OF_RANGE as OUT_OF_RANGE
from tapeflow._src.core.errors import PERMISSION_DENIED as PERMISSION_DENIED
from tapeflow._src.core.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from tapeflow._src.core.errors import UNAUTHENTICATED as UNAUTHENTICATED
from tapeflow._src.core.errors import UNAVAILABLE as UNAVAILABLE
from tapeflow._src.core.errors import UNIMPLEMENTED as UNIMPLEMENTED
from tapeflow._src.core.errors import UNKNOWN as UNKNOWN
from tapeflow._src.core.errors import AbortedError as AbortedError
from tapeflow._src.core.errors import AlreadyExistsError as AlreadyExistsError
from tapeflow._src.core.errors import CancelledError as CancelledError
from tapeflow._src.core.errors import DataLossError as DataLossError
from tapeflow._src.core.errors import DeadlineExceededError as DeadlineExceededError
from tapeflow._src.core.errors import FailedPreconditionError as FailedPreconditionError
from tapeflow._src.core.errors import InternalError as InternalError
from tapeflow._src.core.errors import InvalidArgumentError as InvalidArgumentError
from tapeflow._src.core.errors import NotFoundError as NotFoundError
from tapeflow._src.core.errors import (
    OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
)
from tapeflow._src.core.errors import OpError as OpError
from tapeflow._src.core.errors import OutOfRangeError as OutOfRangeError
from tapeflow._src.core.errors import PermissionDeniedError as PermissionDeniedError
from tapeflow._src.core.errors import ResourceExhaustedError as ResourceExhaustedError
from tapeflow._src.core.errors import UnauthenticatedError as UnauthenticatedError
from tapeflow._src.core.errors import UnavailableError as UnavailableError
from tapeflow._src.core.errors import UnimplementedError as UnimplementedError
from tapeflow._src.core.errors import UnknownError as UnknownError
