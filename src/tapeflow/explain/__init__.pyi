# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.explain.data import DataExplanation as DataExplanation
from tapeflow._src.explain.data import data as data
from tapeflow._src.explain.function import function as function
from tapeflow._src.explain.gradient import gradient as gradient
from tapeflow._src.explain.gradient import record as record
from tapeflow._src.explain.graph import GraphExplanation as GraphExplanation
from tapeflow._src.explain.graph import graph as graph
from tapeflow._src.explain.memory import MemoryExplanation as MemoryExplanation
from tapeflow._src.explain.memory import memory as memory
from tapeflow._src.explain.numerics import NumericsExplanation as NumericsExplanation
from tapeflow._src.explain.numerics import numerics as numerics
from tapeflow._src.function.explanation import FunctionExplanation as FunctionExplanation
from tapeflow._src.function.explanation import TraceExplanation as TraceExplanation
from tapeflow._src.gradients.explanation import GradientExplanation as GradientExplanation
from tapeflow._src.keras.utils.history_explanation import history as history
