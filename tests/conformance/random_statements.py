"""The statements that random programs consist of, as templates over values of given dtypes.

A template has one slot per operand: `{x}` any value chosen by the kinds it lists, `{y}` a second
one of the same dtype, `{i}` an integer, `{axis}` an axis of `x`. `INEXACT` marks results that the
modes may round differently; they are wrapped in `_`, which perturbs them to measure conditioning.
"""

from __future__ import annotations

from dataclasses import dataclass

REAL = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGER = SIGNED + UNSIGNED
NUMBER = REAL + COMPLEX + INTEGER
ORDERED = REAL + INTEGER
ANY = [*NUMBER, "bool"]


@dataclass(frozen=True)
class Template:
    """A statement: its text, the dtypes of `x`, and whether its result is rounded."""

    text: str
    dtypes: tuple[str, ...]
    inexact: bool = False
    differentiable: bool = False


def _many(names: str, call: str, dtypes: list[str], **flags: bool) -> list[Template]:
    return [Template(call.format(f=name), tuple(dtypes), **flags) for name in names.split()]


SMOOTH = """exp math.log math.log1p math.expm1 sqrt math.rsqrt square sin cos tan asin acos atan
sinh cosh tanh math.asinh math.acosh math.atanh sigmoid math.softplus nn.softsign nn.elu nn.selu
nn.gelu nn.leaky_relu nn.silu math.erf math.erfc math.lgamma math.digamma math.log_sigmoid
math.reciprocal_no_nan nn.softmax nn.log_softmax math.erfinv math.ndtri"""
KINKED = "abs negative nn.relu nn.relu6 identity"
STEPS = "floor math.ceil math.rint round sign math.is_nan math.is_inf math.is_finite stop_gradient"
BINARY = "add subtract multiply"
DIVISIONS = "divide math.divide_no_nan math.multiply_no_nan math.xlogy math.xdivy pow atan2"
REDUCTIONS = "reduce_sum reduce_prod reduce_mean"
EXTREMES = "reduce_max reduce_min"
COMPARISONS = "equal not_equal less less_equal greater greater_equal"

UNARY = [
    *_many(SMOOTH, "tf.{f}(_({{x}}))", REAL, inexact=True, differentiable=True),
    *_many(KINKED, "tf.{f}({{x}})", REAL, differentiable=True),
    *_many(STEPS, "tf.{f}({{x}})", REAL),
    *_many("negative abs sign square", "tf.{f}({{x}})", SIGNED),
    *_many("nn.relu nn.relu6", "tf.{f}({{x}})", INTEGER),
    *_many("exp sqrt sin cos tanh square", "tf.{f}({{x}})", COMPLEX, inexact=True),
    *_many("math.real math.imag math.conj negative", "tf.{f}({{x}})", COMPLEX),
    *_many("bitwise.invert", "tf.{f}({{x}})", INTEGER),
    *_many("logical_not", "tf.{f}({{x}})", ["bool"]),
    Template("tf.math.pow({x}, tf.cast(2, {x}.dtype))", tuple(NUMBER), True, True),
    Template("{x} ** tf.cast({c}, {x}.dtype)", tuple(REAL), True, True),
    Template("tf.abs({x})", tuple(COMPLEX), True),
    Template("{x} * tf.cast({c}, {x}.dtype)", tuple(REAL), True, True),
    Template("{x} + tf.cast({c}, {x}.dtype)", tuple(REAL), True, True),
    Template("{x} / tf.cast({c}, {x}.dtype)", tuple(REAL), True, True),
    Template("tf.cast({x}, tf.{d})", tuple(ANY), True),
    Template("tf.saturate_cast({x}, tf.{d})", tuple(ORDERED), True),
]
PAIRS = [
    *_many(BINARY, "tf.{f}({{x}}, {{y}})", NUMBER, inexact=True, differentiable=True),
    *_many(DIVISIONS, "tf.{f}({{x}}, {{y}})", REAL, inexact=True, differentiable=True),
    *_many("divide", "tf.{f}({{x}}, {{y}})", COMPLEX + INTEGER, inexact=True),
    *_many("maximum minimum", "tf.{f}({{x}}, {{y}})", ORDERED, differentiable=True),
    *_many("math.floordiv math.floormod", "tf.{f}({{x}}, {{y}})", ORDERED, inexact=True),
    *_many("truncatediv truncatemod", "tf.{f}({{x}}, {{y}})", INTEGER),
    *_many("math.squared_difference", "tf.{f}({{x}}, {{y}})", REAL, inexact=True),
    *_many(COMPARISONS, "tf.{f}({{x}}, {{y}})", ORDERED),
    *_many("equal not_equal", "tf.{f}({{x}}, {{y}})", ANY),
    *_many(
        "bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift"
        " bitwise.right_shift",
        "tf.{f}({{x}}, {{y}})",
        INTEGER,
    ),
    *_many("logical_and logical_or math.logical_xor", "tf.{f}({{x}}, {{y}})", ["bool"]),
    Template("tf.where({p}, {x}, {y})", tuple(ANY), False, True),
    Template("tf.cast({x} > {y}, {x}.dtype) * {x}", tuple(ORDERED), True, True),
    Template("tf.clip_by_value({x}, tf.cast(-1, {x}.dtype), tf.cast(2, {x}.dtype))", tuple(REAL)),
    Template("tf.math.nextafter({x}, {y})", ("float32", "float64")),
    # Exact itself, but products of it are rounded relative to its modulus.
    Template("tf.complex({x}, {y})", ("float32", "float64"), True),
    Template("tf.pow({x}, tf.abs({y}) % tf.cast(5, {x}.dtype))", ("int32", "int64")),
]
REDUCED = [
    *_many(REDUCTIONS, "tf.{f}({{x}}, {{axis}})", NUMBER, inexact=True, differentiable=True),
    *_many(EXTREMES, "tf.{f}({{x}}, {{axis}})", ORDERED, differentiable=True),
    *_many(EXTREMES, "tf.{f}({{x}}, {{axis}}, keepdims=True)", ORDERED, differentiable=True),
    *_many("reduce_any reduce_all", "tf.{f}({{x}}, {{axis}})", ["bool"]),
    *_many(
        "reduce_logsumexp math.reduce_std math.reduce_variance",
        "tf.{f}({{x}}, {{axis}})",
        REAL,
        inexact=True,
        differentiable=True,
    ),
    *_many("argmax argmin", "tf.{f}({{x}}, {{one_axis}})", ORDERED),
    *_many(
        "cumsum math.cumprod",
        "tf.{f}({{x}}, {{one_axis}})",
        NUMBER,
        inexact=True,
        differentiable=True,
    ),
    Template("tf.cumsum({x}, {one_axis}, exclusive=True, reverse=True)", tuple(NUMBER), True),
    Template("tf.math.count_nonzero({x}, {axis})", tuple(ANY)),
    Template("tf.math.cumulative_logsumexp({x}, {one_axis})", tuple(REAL), True),
]
MOVED = [
    Template("tf.reshape({x}, [-1])", tuple(ANY), False, True),
    Template("tf.transpose({x})", tuple(ANY), False, True),
    Template("tf.reverse({x}, [{one_axis}])", tuple(ANY), False, True),
    Template("tf.roll({x}, {k}, {one_axis})", tuple(ANY), False, True),
    Template("tf.concat([{x}, {x}], {one_axis})", tuple(ANY), False, True),
    Template("tf.stack([{x}, {y}])", tuple(ANY), False, True),
    Template("tf.expand_dims({x}, 0)", tuple(ANY), False, True),
    Template("tf.tile(tf.reshape({x}, [-1]), [2])", tuple(ANY), False, True),
    Template("tf.repeat({x}, 2, {one_axis})", tuple(ANY), False, True),
    Template("tf.pad(tf.reshape({x}, [-1]), [[1, {k}]])", tuple(ANY), False, True),
    Template("{x}[..., ::-1]", tuple(ANY), False, True),
    Template("{x}[{k}:]", tuple(ANY), False, True),
    Template("{x}[{k}]", tuple(ANY), False, True),
    Template("tf.gather({x}, {i} % 2)", tuple(ANY), False, True),
    Template("tf.gather(tf.reshape({x}, [-1]), {i})", tuple(ANY)),
    Template("tf.gather_nd(tf.reshape({x}, [-1]), [[0], [{k}]])", tuple(ANY), False, True),
    Template("tf.one_hot({i}, 4, dtype=tf.{d})", tuple(ANY)),
    Template("tf.scatter_nd([[0], [2], [0]], tf.reshape({x}, [-1])[:3], [4])", tuple(NUMBER), True),
    Template(
        "tf.tensor_scatter_nd_update(tf.reshape({x}, [-1]), [[{k}]], tf.reshape({y}, [-1])[:1])",
        tuple(ANY),
    ),
    Template(
        "tf.tensor_scatter_nd_add(tf.reshape({x}, [-1]), [[0]], tf.reshape({y}, [-1])[:1])",
        tuple(NUMBER),
        True,
    ),
    Template("tf.math.segment_sum(tf.reshape({x}, [-1])[:3], [0, 0, 1])", tuple(ORDERED), True),
    Template("tf.math.unsorted_segment_max(tf.reshape({x}, [-1])[:3], [0, 2, 0], 3)", tuple(REAL)),
    Template("tf.math.unsorted_segment_sum({x}, {i} % 3, 3)", tuple(ORDERED), True),
    Template("tf.sort({x})", ("float32", "float64", *INTEGER)),
    Template("tf.argsort({x}, stable=True)", ("float32", "int32", "int64")),
    Template("tf.math.top_k({x}, 1)[0]", tuple(ORDERED)),
    Template("tf.linalg.band_part(tf.stack([tf.reshape({x}, [-1])] * 3), 1, 0)", tuple(REAL)),
    Template(
        "tf.matmul(tf.reshape({x}, [-1, 1]), tf.reshape({y}, [1, -1]))",
        ("float32", "float64", "int32", "complex64"),
        True,
        True,
    ),
    Template("tf.tensordot({x}, {x}, 0)", ("float32", "float64"), True),
    Template("tf.zeros_like({x})", tuple(ANY)),
    Template("tf.ones_like({x}) * {x}", tuple(NUMBER), True, True),
    Template("tf.fill([2], tf.reduce_max({x}))", tuple(ORDERED)),
    Template("tf.broadcast_to({x}, tf.concat([[2], tf.shape({x})], 0))", tuple(ANY), False, True),
    Template("tf.range({k})", ("int32",)),
    Template("tf.searchsorted([-1.0, 0.0, 2.0], tf.reshape({x}, [-1]))", ("float32",)),
    Template("tf.bitcast({x}, tf.int32)", ("int32", "uint32")),
    Template("tf.boolean_mask({x}, {x} > tf.cast(0, {x}.dtype))", tuple(ORDERED)),
]
DRAWN = [
    "tf.random.stateless_uniform([3], seed=[{k}, 7])",
    "tf.random.stateless_normal([2, 3], seed=[1, {k}], dtype=tf.float64)",
    "tf.random.stateless_uniform([3], [{k}, 1], -5, 9, tf.int32)",
    "tf.random.stateless_truncated_normal([3], seed=[{k}, 2])",
    "tf.random.uniform([3], seed={fresh})",
    "tf.random.normal([3], seed={fresh})",
    "generator.normal([3])",
    "generator.uniform([2], -3, 9, tf.int64)",
    "tf.random.experimental.stateless_shuffle({x}, seed=[{k}, 5])",
]
