# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.explain.gradient import gradient as gradient
from tapeflow._src.explain.gradient import record as record
from tapeflow._src.gradients.explanation import GradientExplanation as GradientExplanation
