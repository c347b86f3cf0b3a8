"""Facts about an op that passes, executors and other parts rely on, declared with the op.

An op that declares none is treated conservatively: correct, but slower or refused.
`tests/ops/test_traits.py` checks every declared trait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

# Returns a result for inputs of any shape and any value.
TOTAL = "total"
# Like TOTAL, once the static shapes, and the static values that shapes depend on, were accepted.
TOTAL_ON_SHAPES = "total on shapes"
# The result is the operand.
FORWARDS = "forwards"
# Reads the shapes of its inputs, never their values.
SHAPE_ONLY = "shape only"
# Reads the length or the element shape of a list of tensors, never its elements.
LENGTH_ONLY = "length only"
# Rearranges elements without reading them: works on arrays of objects.
MOVES = "moves"
# The batch rule returns for each member, bit for bit, what the op returns for it alone. (So do
# element-wise ops and those that only move elements.)
EXACT_IN_BATCHES = "exact in batches"
# Each element of the result depends on one element of each input, though the shape rule does not
# say so, or the other way round.
ELEMENTWISE = "element-wise"
NOT_ELEMENTWISE = "not element-wise"
# Each row of the results, along the last axis, depends on the same row of the first input, and on
# the whole of the others.
ROWS = "rows"
# A reduction over the axes in its second input, with the attribute `keep_dims`. Parts of equal
# sizes may be reduced first, and then their results.
FOLDS = "folds"
# Operands are broadcast against each other, though the shape rule does not say so.
BROADCASTS = "broadcasts"
# NaN and infinity in the result come from the inputs: numeric checks skip the op.
INHERITS_NUMERICS = "inherits numerics"
# Finite inputs make a finite result: numeric checks skip the op where its inputs are checked.
KEEPS_FINITE = "keeps finite"
# Operands of different dtypes are promoted in NumPy mode.
PROMOTES = "promotes"
# A weakly typed input makes a weakly typed result in NumPy mode.
KEEPS_WEAK = "keeps weak"
# A sparse tensor is mapped by mapping its values.
MAPS_SPARSE_VALUES = "maps sparse values"
# Holds two bodies of which one runs; several of which one runs; one that runs while another holds.
CONDITIONAL = "conditional"
SWITCH = "switch"
LOOP = "loop"
# The result is the value in its attribute; is supplied when the graph runs.
CONSTANT = "constant"
ARGUMENT = "argument"
# No computation: each operation is a value of its own.
SOURCE = "source"
# The contents of the result are unspecified: it is neither folded nor shared.
UNSPECIFIED = "unspecified"
# Decides on which devices the result lies, not what it is: it is not folded.
PLACES = "places"
# Folded where its operands are constants, though only the host runs it: XLA then compiles the rest.
FOLDS_ON_HOST = "folds on host"
# The kernel for packed strings is so much faster that packing the operands of one call pays. (Other
# ops with such a kernel, or that only move elements, pack strings that an op has read before.)
PACKS = "packs"
# Creates strings of values of other dtypes: many of them by the kernel for packed strings.
CREATES_STRINGS = "creates strings"
# The effect is a message or an error: no variable changes.
SPEAKS = "speaks"
# Compiled code reads residuals that the forward pass cached.
RECALLS = "recalls"
# TensorFlow's Python function creates the op in a scope named after the operation.
OWN_SCOPE = "own scope"

ALL = frozenset(
    {
        *(TOTAL, TOTAL_ON_SHAPES, FORWARDS, SHAPE_ONLY, LENGTH_ONLY, MOVES, EXACT_IN_BATCHES),
        *(ELEMENTWISE, NOT_ELEMENTWISE, ROWS, FOLDS, BROADCASTS),
        *(INHERITS_NUMERICS, KEEPS_FINITE, PROMOTES, KEEPS_WEAK, MAPS_SPARSE_VALUES),
        *(
            CONDITIONAL,
            SWITCH,
            LOOP,
            CONSTANT,
            ARGUMENT,
            SOURCE,
            UNSPECIFIED,
            PLACES,
            FOLDS_ON_HOST,
            SPEAKS,
            RECALLS,
            OWN_SCOPE,
            PACKS,
            CREATES_STRINGS,
        ),
    }
)


class Facts(NamedTuple):
    """Declared properties of an op beside its computation: see `core.registry.op`."""

    traits: tuple[str, ...] = ()
    display: str | None = None
    graph_inputs: dict[str, str] | None = None
    ragged_scope: str | None = None
    public_name: str | None = None
    batch: Callable[..., Any] | None = None
