"""`tf.profiler.experimental`: marks of steps; no profiles are recorded."""

from tapeflow._src.api.profiler.experimental import Trace as Trace
from tapeflow._src.api.profiler.experimental import start as start
from tapeflow._src.api.profiler.experimental import stop as stop
