"""What passes may take for granted about ops: which only pass on, and which cannot fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.core import dtypes
from tapeflow.core.infer import broadcast, broadcast_bool
from tapeflow.core.registry import Op
from tapeflow.graph.body import has_effect
from tapeflow.graph.operation import Operation

# Operations that hold bodies.
IF = frozenset({"If", "StatelessIf"})
CASE = frozenset({"Case", "StatelessCase"})
WHILE = frozenset({"While", "StatelessWhile"})
STRUCTURES = IF | CASE | WHILE

# Ops whose result is their operand.
PASS_ON = frozenset({"Identity", "Snapshot", "GuaranteeConst", "StopGradient", "PreventGradient"})

# A tensor of such a dtype stands for a thing, not for numbers.
HANDLES = frozenset({dtypes.resource, dtypes.variant})


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of an input of any shape, at any value, these ops have a result.
_ALWAYS = _names(
    """
    Abs Acos Acosh Asin Asinh Atan Atanh Cast Ceil ComplexAbs Conj Cos Cosh Elu Erf Erfc Exp Expm1
    Floor Identity Imag Inv Invert IsFinite IsInf IsNan LeakyRelu Log Log1p LogicalNot Neg OnesLike
    PreventGradient Rank Real Reciprocal Relu Relu6 Rint Round Rsqrt Selu Shape Sigmoid Sign Sin
    Sinh Size Snapshot Softplus Softsign Sqrt Square StopGradient Tan Tanh ZerosLike
    """
)

# These have one if the shapes, and the values that shapes depend on, were known and accepted.
_IF_SHAPES_FIT = _names(
    """
    Add AddN AddV2 All Any Atan2 AvgPool BatchMatMul BatchMatMulV2 BatchMatMulV3
    BiasAdd BiasAddGrad BroadcastTo Complex ConcatV2 Conv2D Cumsum DivNoNan EluGrad Equal ExpandDims
    Fill Greater GreaterEqual InvGrad L2Loss LeakyReluGrad Less LessEqual LogSoftmax LogicalAnd
    LogicalOr MatMul MatrixBandPart Max MaxPool Maximum Mean Min Minimum Mul MulNoNan NotEqual Pack
    Pad PadV2 Prod RealDiv ReciprocalGrad Relu6Grad ReluGrad Reshape ReverseV2 RsqrtGrad Select
    SelectV2 SeluGrad SigmoidGrad Slice Softmax SoftplusGrad SoftsignGrad Split SplitV SqrtGrad
    SquaredDifference Squeeze StridedSlice Sub Sum TanhGrad Tile Transpose Unpack Xdivy Xlog1py
    Xlogy
    """
)

_STATIC = frozenset({"Static", "StaticT"})


def never_fails(op: Op, operands: Sequence[Any]) -> bool:
    """Whether a call with tensors like these gives a result, whatever their values are."""
    if op.name in _ALWAYS:
        return True
    if op.name not in _IF_SHAPES_FIT:
        return False
    for operand, kind in zip(operands, op.kinds, strict=True):
        for tensor in operand if type(operand) is tuple else (operand,):
            if tensor._dims is None or None in tensor._dims:
                return False
            if kind in _STATIC and tensor._static is None:
                return False
    return True


def may_fail(node: Operation) -> bool:
    """Whether an operation without effects may raise: it runs only if somebody wants it."""
    if has_effect(node):
        return False
    if any(map(may_fail, node.control_inputs)):
        return True
    return node.definition.name != "NoOp" and not never_fails(node.definition, node.operands)


def is_elementwise(op: Op) -> bool:
    """Whether each element of the result comes from one of each operand, repeated where short."""
    return op.infer_rule in (broadcast, broadcast_bool) or op.name in _ALSO_ELEMENTWISE


_ALSO_ELEMENTWISE = frozenset({"Equal", "NotEqual", "SelectV2"})


def is_told(dims: Any, shape: Any) -> bool:
    """Whether the sizes `dims` of a tensor tell all that `shape` tells."""
    if shape is None or dims == shape:
        return True
    return (
        dims is not None
        and len(dims) == len(shape)
        and all(want is None or have == want for have, want in zip(dims, shape, strict=True))
    )


def keeps_shape(op: Op) -> bool:
    """Whether the result has the shape of the only input."""
    return (op.keeps_shape and len(op.input_names) == 1) or op.name == "Cast"
