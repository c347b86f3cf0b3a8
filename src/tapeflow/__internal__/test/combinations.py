"""Tests that run once for each combination of arguments, in the modes that some of them name."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.test.combinations import Arguments as Arguments
from tapeflow._src.internal.test.combinations import EagerGraphCombination as EagerGraphCombination
from tapeflow._src.internal.test.combinations import NamedObject as NamedObject
from tapeflow._src.internal.test.combinations import OptionalParameter as OptionalParameter
from tapeflow._src.internal.test.combinations import ParameterModifier as ParameterModifier
from tapeflow._src.internal.test.combinations import TestCombination as TestCombination
from tapeflow._src.internal.test.combinations import combine as combine
from tapeflow._src.internal.test.combinations import generate as generate
from tapeflow._src.internal.test.combinations import times as times

_explain_missing(__name__)
