"""`tf.version`: the version of TensorFlow whose programming interface this is.

Programs ask `tf.__version__` to know what they may call, so it speaks of the interface. The
version of this package is `tapeflow.version.TAPEFLOW_VERSION`.
"""

VERSION = "2.21.0"
GIT_VERSION = "unknown"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
TAPEFLOW_VERSION = "0.1.0"
