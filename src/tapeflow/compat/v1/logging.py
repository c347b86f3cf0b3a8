"""`tf.compat.v1.logging`: the library's logger, as TensorFlow 1 programs speak to it."""

from tapeflow._src.compat.v1.logging import DEBUG as DEBUG
from tapeflow._src.compat.v1.logging import ERROR as ERROR
from tapeflow._src.compat.v1.logging import FATAL as FATAL
from tapeflow._src.compat.v1.logging import INFO as INFO
from tapeflow._src.compat.v1.logging import WARN as WARN
from tapeflow._src.compat.v1.logging import TaskLevelStatusMessage as TaskLevelStatusMessage
from tapeflow._src.compat.v1.logging import debug as debug
from tapeflow._src.compat.v1.logging import error as error
from tapeflow._src.compat.v1.logging import fatal as fatal
from tapeflow._src.compat.v1.logging import flush as flush
from tapeflow._src.compat.v1.logging import get_verbosity as get_verbosity
from tapeflow._src.compat.v1.logging import info as info
from tapeflow._src.compat.v1.logging import log as log
from tapeflow._src.compat.v1.logging import log_every_n as log_every_n
from tapeflow._src.compat.v1.logging import log_first_n as log_first_n
from tapeflow._src.compat.v1.logging import log_if as log_if
from tapeflow._src.compat.v1.logging import set_verbosity as set_verbosity
from tapeflow._src.compat.v1.logging import vlog as vlog
from tapeflow._src.compat.v1.logging import warn as warn
from tapeflow._src.compat.v1.logging import warning as warning
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
