"""`tf.version`: the version of TensorFlow whose programming interface this is.

Programs ask `tf.__version__` to know what they may call, so it speaks of the interface. The
version of this package is `tapeflow.version.TAPEFLOW_VERSION`.
"""

from tapeflow._src.core.version import COMPILER_VERSION as COMPILER_VERSION
from tapeflow._src.core.version import GIT_VERSION as GIT_VERSION
from tapeflow._src.core.version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from tapeflow._src.core.version import (
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
)
from tapeflow._src.core.version import (
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
)
from tapeflow._src.core.version import TAPEFLOW_VERSION as TAPEFLOW_VERSION
from tapeflow._src.core.version import VERSION as VERSION
