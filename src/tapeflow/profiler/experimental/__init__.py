"""`tf.profiler.experimental`: profiles of a run, and marks for them in a program."""

from tapeflow._src.api.profiler.experimental import Profile as Profile
from tapeflow._src.api.profiler.experimental import ProfilerOptions as ProfilerOptions
from tapeflow._src.api.profiler.experimental import Trace as Trace
from tapeflow._src.api.profiler.experimental import start as start
from tapeflow._src.api.profiler.experimental import stop as stop
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.profiler.experimental import client as client
from tapeflow.profiler.experimental import server as server

__all__ = ["Profile", "ProfilerOptions", "Trace", "client", "server", "start", "stop"]

_explain_missing(__name__)
