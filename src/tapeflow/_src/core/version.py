"""Versions of the programming interface, of GraphDefs, and of this package."""

VERSION = "2.21.0"
GIT_VERSION = "unknown"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
TAPEFLOW_VERSION = "0.1.0"
