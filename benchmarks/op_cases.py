"""Public ops at three sizes: expressions of the TensorFlow API, each run under both libraries.

The title of a row is the expression that is timed; its names are the arrays of `Inputs`. Numbers
are counted in elements, texts in bytes. `PREFIX` before an expression: it and its gradient with
respect to `x`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks.cases import Case, Step

SIZES = (10, 10_000, 4_000_000)
PREFIX = "gradient of "
# Seconds of one turn: there are many rows.
REPEAT_SECONDS = 0.03
# Parts of a turn, of which the fastest counts: other programs interrupt a long turn more often.
CHUNKS = 30
# Seconds of calls before any counts: large calls are compiled in the background.
WARM_SECONDS = {10: 0.02, 10_000: 0.2, 4_000_000: 0.6}

ELEMENTWISE = """
tf.abs(x) | tf.negative(x) | tf.square(x) | tf.sign(x) | tf.exp(x) | tf.math.expm1(x) | tf.sin(x)
tf.cos(x) | tf.tan(x) | tf.sinh(x) | tf.cosh(x) | tf.tanh(x) | tf.asinh(x) | tf.atan(x)
tf.sigmoid(x) | tf.math.softplus(x) | tf.math.erf(x) | tf.math.erfc(x) | tf.floor(x)
tf.math.ceil(x) | tf.round(x) | tf.sqrt(p) | tf.math.rsqrt(p) | tf.math.log(p) | tf.math.log1p(p)
tf.math.reciprocal(p) | tf.math.lgamma(p) | tf.math.digamma(p) | tf.asin(u) | tf.acos(u)
tf.atanh(u) | tf.acosh(p + 1.0) | tf.math.erfinv(u) | tf.math.ndtri(u) | tf.math.is_nan(x)
tf.math.is_finite(x) | tf.math.log_sigmoid(x) | tf.math.erf(x64) | tf.exp(x64) | tf.tanh(x64)
x + y | x - y | x * y | x / p | x * 2.0 | x + row | x + column | x64 + x64 | k + k | k * k | k // 3
tf.maximum(x, y) | tf.minimum(x, y) | tf.pow(p, x) | x ** 2 | tf.atan2(x, y)
tf.math.squared_difference(x, y) | tf.math.floormod(x, p) | tf.math.floordiv(x, p) | x > y
tf.equal(k, 3) | tf.logical_and(m, m) | tf.logical_not(m) | tf.where(m, x, y)
tf.where(x > 0, x, 0.0) | tf.clip_by_value(x, -1.0, 1.0) | tf.add_n([x, y, p])
tf.math.xlogy(p, p) | tf.math.divide_no_nan(x, y) | tf.bitwise.bitwise_and(k, 3)
tf.cast(x, tf.float16) | tf.cast(x, tf.bfloat16) | tf.cast(x, tf.float64) | tf.cast(x, tf.int32)
tf.cast(x, tf.bool) | tf.cast(m, tf.float32) | tf.cast(k, tf.float32) | tf.cast(half, tf.float32)
tf.cast(x64, tf.float32) | half + half | tf.complex(x, y) | tf.abs(z) | z * z | tf.math.real(z)
tf.keras.ops.isclose(x, y)
"""

NN = """
tf.nn.relu(x) | tf.nn.relu6(x) | tf.nn.leaky_relu(x) | tf.nn.elu(x) | tf.nn.selu(x) | tf.nn.gelu(x)
tf.nn.gelu(x, approximate=True) | tf.nn.silu(x) | tf.nn.softsign(x) | tf.nn.softmax(x)
tf.nn.log_softmax(x) | tf.nn.dropout(x, 0.5) | tf.nn.l2_normalize(x, -1) | tf.nn.bias_add(x, row)
tf.nn.moments(x, [0]) | tf.nn.moments(x, [1]) | tf.nn.batch_normalization(x, row, row, row, row, 1.)
tf.nn.sigmoid_cross_entropy_with_logits(u, x)
tf.nn.softmax_cross_entropy_with_logits(distribution, x)
tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
tf.nn.max_pool2d(images, 2, 2, "VALID") | tf.nn.avg_pool2d(images, 2, 2, "VALID")
tf.nn.conv2d(images, filters, 1, "SAME") | tf.nn.l2_loss(x) | tf.clip_by_norm(x, 1.0)
tf.nn.embedding_lookup(x, rows) | layer_norm(x)
tf.keras.losses.MSE(x, y) | tf.keras.losses.huber(x, y) | tf.keras.losses.poisson(p, p)
tf.keras.losses.cosine_similarity(x, y) | tf.keras.activations.mish(x) | tf.nn.crelu(x)
"""

REDUCTIONS = """
tf.reduce_sum(x) | tf.reduce_sum(x, 0) | tf.reduce_sum(x, 1) | tf.reduce_mean(x)
tf.reduce_mean(x, 0) | tf.reduce_mean(x, 1) | tf.reduce_max(x) | tf.reduce_max(x, 0)
tf.reduce_max(x, 1) | tf.reduce_min(x, 1) | tf.reduce_prod(x, 1) | tf.reduce_all(m)
tf.reduce_any(m, 1) | tf.reduce_logsumexp(x, 1) | tf.math.reduce_variance(x)
tf.math.reduce_variance(x, 1) | tf.math.reduce_std(x, 0) | tf.norm(x) | tf.norm(x, axis=1)
tf.argmax(x, 1) | tf.argmax(x, 0) | tf.argmin(x, 1) | tf.cumsum(x, 1) | tf.cumsum(x, 0)
tf.math.cumprod(u, 1) | tf.math.count_nonzero(k) | tf.reduce_sum(k, 1) | tf.reduce_sum(x64, 1)
tf.linalg.global_norm([x, y]) | tf.math.segment_sum(x, segments)
tf.math.unsorted_segment_sum(x, rows, len(rows)) | tf.math.unsorted_segment_max(x, rows, len(rows))
tf.math.bincount(flat_k) | tf.histogram_fixed_width(x, [-1.0, 1.0])
tf.math.reduce_euclidean_norm(x, 1) | tf.keras.ops.norm(x) | tf.linalg.normalize(x, axis=1)
tf.reduce_sum(half, 1) | tf.math.in_top_k(labels, x, 2)
"""

ARRAYS = """
tf.transpose(x) | tf.transpose(batch, [0, 2, 1]) | tf.transpose(images, [0, 3, 1, 2])
tf.reshape(x, [-1]) | tf.concat([x, y], 0) | tf.concat([x, y], 1) | tf.stack([x, y])
tf.stack([x, y], -1) | tf.unstack(x[:8]) | tf.split(x, 2, 0) | x[:, ::2] | x[::-1] | x[1:, :-1]
tf.tile(x, [2, 1]) | tf.repeat(x, 2, 1) | tf.pad(x, [[1, 1], [1, 1]]) | tf.reverse(x, [1])
tf.roll(x, 1, 1) | tf.gather(x, rows) | tf.gather(x, rows % 2, axis=1) | tf.gather_nd(x, pairs)
tf.scatter_nd(pairs, flat, x.shape) | tf.tensor_scatter_nd_add(x, pairs, flat)
tf.tensor_scatter_nd_update(x, rows[:, None], y) | tf.one_hot(labels, len(row))
tf.boolean_mask(x, m) | tf.where(m) | tf.unique(flat_k) | tf.sort(x) | tf.argsort(x)
tf.math.top_k(x, 2) | tf.math.top_k(x64, 2) | tf.searchsorted(increasing, flat)
tf.range(len(flat)) | tf.fill(x.shape, 1.5) | tf.zeros_like(x) | tf.ones(x.shape)
tf.linspace(0.0, 1.0, len(flat)) | tf.meshgrid(row, row) | tf.broadcast_to(row, x.shape)
tf.identity(x) | tf.eye(len(row)) | tf.sequence_mask(labels, len(row))
tf.linalg.diag(row) | tf.linalg.diag_part(batch) | tf.linalg.band_part(x, 1, 1)
tf.dynamic_partition(x, rows % 2, 2) | tf.nn.space_to_depth(even_images, 2)
tf.constant(array) | x.numpy() | tf.io.serialize_tensor(x) | tf.signal.frame(flat, 4, 2)
tf.keras.ops.tril(x)
"""

LINALG = """
tf.matmul(x, w) | tf.matmul(x, y, transpose_a=True) | tf.matmul(x, y, transpose_b=True)
tf.matmul(batch, batch) | tf.matmul(batch, batch, transpose_b=True)
tf.matmul(x64[:1000, :1000], x64[:1000, :1000], transpose_b=True)
tf.einsum("bij,bkj->bik", batch, batch) | tf.einsum("ij,ij->i", x, y)
tf.tensordot(x, y, [[1], [1]]) | tf.linalg.matvec(x, row) | tf.linalg.trace(batch)
tf.linalg.cholesky(definite) | tf.linalg.inv(definite) | tf.linalg.det(definite)
tf.linalg.slogdet(definite) | tf.linalg.solve(definite, definite) | tf.linalg.lu(definite)
tf.linalg.triangular_solve(definite, definite) | tf.linalg.qr(small) | tf.linalg.svd(small)
tf.linalg.eigh(small) | tf.linalg.lstsq(small, small, 0.1) | tf.linalg.expm(small)
tf.linalg.cholesky_solve(definite, definite) | tf.linalg.cross(triples, triples)
tf.linalg.solve(one, one) | tf.linalg.eigh(one) | tf.linalg.triangular_solve(one, one)
tf.linalg.cholesky(one) | tf.linalg.inv(one)
tf.signal.fft(z) | tf.signal.ifft(z) | tf.signal.rfft(x) | tf.signal.irfft(z) | tf.signal.fft2d(z)
tf.signal.dct(x) | tf.signal.stft(flat, 4, 2)
"""

RANDOM = """
tf.random.uniform([n]) | tf.random.normal([n]) | tf.random.truncated_normal([n])
tf.random.uniform([n], 0, 100, tf.int32) | tf.random.stateless_uniform([n], [1, 2])
tf.random.stateless_normal([n], [1, 2]) | tf.random.gamma([n], 2.0) | tf.random.poisson([n], 4.0)
tf.random.categorical(x[:10], n // 10) | tf.random.shuffle(flat)
tf.random.stateless_binomial([n], [1, 2], 10.0, 0.5) | generator.normal([n])
"""

STRINGS = """
tf.strings.length(s) | tf.strings.lower(s) | tf.strings.upper(s) | tf.strings.strip(s)
tf.strings.substr(s, 1, 3) | tf.strings.join([s, s], "-") | tf.strings.reduce_join(s)
tf.strings.split(s) | tf.strings.regex_replace(s, "[aeiou]", "_")
tf.strings.regex_full_match(s, "[a-z ]+") | tf.strings.to_hash_bucket_fast(s, 1000)
tf.strings.to_hash_bucket_strong(s, 1000, [1, 2]) | tf.strings.to_number(digits)
tf.strings.as_string(short) | tf.strings.unicode_decode(s, "UTF-8") | tf.equal(s, "ab")
tf.strings.bytes_split(s) | tf.strings.unicode_script(short) | tf.unique(s)
tf.strings.ngrams(s, 2) | tf.io.decode_base64(tf.io.encode_base64(s)) | tf.concat([s, s], 0)
tf.gather(s, order) | table.lookup(s)
"""

IMAGES = """
tf.image.resize(images, target) | tf.image.resize(images, target, "nearest")
tf.image.resize(images, target, "bicubic") | tf.image.resize(images, target, "area")
tf.image.resize(images, target, antialias=True) | tf.image.rgb_to_hsv(images)
tf.image.hsv_to_rgb(images) | tf.image.rgb_to_grayscale(images) | tf.image.rgb_to_yuv(images)
tf.image.adjust_brightness(images, 0.1) | tf.image.adjust_contrast(images, 1.5)
tf.image.adjust_saturation(images, 1.5) | tf.image.adjust_hue(images, 0.1)
tf.image.adjust_gamma(images, 1.5) | tf.image.flip_left_right(images)
tf.image.flip_up_down(images) | tf.image.rot90(images) | tf.image.transpose(images)
tf.image.central_crop(images, 0.5) | tf.image.per_image_standardization(images)
tf.image.convert_image_dtype(bytes_images, tf.float32)
tf.image.convert_image_dtype(images, tf.uint8, saturate=True) | tf.image.sobel_edges(images)
tf.image.total_variation(images) | tf.image.psnr(images, images, 1.0)
tf.image.crop_and_resize(images, boxes, indices, [8, 8]) | tf.io.encode_png(bytes_images[0])
tf.io.encode_jpeg(bytes_images[0]) | tf.io.decode_png(png) | tf.io.decode_jpeg(jpeg)
tf.image.extract_patches(images, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
tf.image.random_flip_left_right(images)
"""

GRADIENTS = """
tf.exp(x) | tf.tanh(x) | tf.sigmoid(x) | tf.math.softplus(x) | tf.math.erf(x) | tf.square(x)
tf.sin(x) | x * y | x / p | x + row | x * row | tf.maximum(x, y) | tf.where(m, x, y)
tf.nn.relu(x) | tf.nn.leaky_relu(x) | tf.nn.elu(x) | tf.nn.selu(x) | tf.nn.gelu(x)
tf.nn.gelu(x, approximate=True) | tf.nn.silu(x) | tf.nn.softmax(x) | tf.nn.log_softmax(x)
tf.nn.l2_normalize(x, -1) | tf.nn.bias_add(x, row) | tf.nn.softsign(x)
tf.nn.sigmoid_cross_entropy_with_logits(u, x)
tf.nn.softmax_cross_entropy_with_logits(distribution, x)
tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
tf.reduce_sum(x) | tf.reduce_mean(x, 1) | tf.reduce_max(x, 1) | tf.reduce_logsumexp(x, 1)
tf.math.reduce_variance(x, 1) | tf.norm(x) | tf.cumsum(x, 1) | tf.transpose(x)
tf.concat([x, y], 0) | tf.gather(x, rows) | tf.matmul(x, w) | tf.clip_by_value(x, -1.0, 1.0)
tf.keras.losses.MSE(x, y) | tf.nn.dropout(x, 0.5)
tf.cast(x, tf.float16) | x[:, ::2] | tf.pad(x, [[1, 1], [1, 1]]) | tf.math.segment_sum(x, segments)
tf.nn.moments(x, [1])[1] | tf.math.log(tf.abs(x) + 1.0) | tf.pow(p, x)
"""

FAMILIES = {
    "elementwise": ELEMENTWISE,
    "nn": NN,
    "reductions": REDUCTIONS,
    "arrays": ARRAYS,
    "linalg": LINALG,
    "random": RANDOM,
    "strings": STRINGS,
    "images": IMAGES,
    "gradients": GRADIENTS,
}


def expressions(family: str) -> list[str]:
    """Return the rows of a family."""
    parts = [part.strip() for part in FAMILIES[family].replace("\n", "|").split("|")]
    before = PREFIX if family == "gradients" else ""
    return [before + part for part in parts if part]


def all_expressions() -> list[str]:
    """Return the rows of all families."""
    return [expression for family in FAMILIES for expression in expressions(family)]


class Inputs(dict[str, Any]):
    """The arrays that expressions name, of about `n` elements, created when first named."""

    def __init__(self, tf: Any, n: int) -> None:
        super().__init__(tf=tf, n=n, len=len)
        self._numbers = np.random.default_rng(0)
        self.columns = math.isqrt(n) if n > 10 else 5
        self.rows = n // self.columns
        self.side = max(2, math.isqrt(n // 3 if n < 100_000 else n // 60))

    def __missing__(self, name: str) -> Any:
        self[name] = _MAKERS[name](self)
        return self[name]

    def normal(self, *shape: int, dtype: Any = np.float32) -> Any:
        return self["tf"].constant(self._numbers.standard_normal(shape).astype(dtype))

    def uniform(self, *shape: int) -> Any:
        numbers = self._numbers.uniform(0.01, 0.99, shape)
        return self["tf"].constant(numbers.astype(np.float32))

    def integers(self, high: int, *shape: int) -> Any:
        return self["tf"].constant(self._numbers.integers(0, high, shape).astype(np.int32))

    def definite(self, width: int) -> Any:
        """Return positive definite matrices of about `n` elements."""
        width = min(width, {10: 3, 10_000: 100}.get(self["n"], width))
        matrices = self._numbers.standard_normal((max(1, self["n"] // width**2), width, width))
        product = matrices @ matrices.swapaxes(1, 2) + width * np.eye(width)
        return self["tf"].constant(product.astype(np.float32))

    def texts(self) -> Any:
        words = [f"ab Cd{number:05d}".encode() for number in range(max(1, self["n"] // 10))]
        return self["tf"].constant(np.array(words, object))

    def digits(self) -> Any:
        words = [f"{number:08d}.5".encode() for number in range(max(1, self["n"] // 10))]
        return self["tf"].constant(np.array(words, object))

    def images(self, dtype: Any = np.float32) -> Any:
        count = 1 if self["n"] < 100_000 else 20
        pixels = self._numbers.uniform(0.01, 0.99, (count, self.side, self.side, 3))
        scale = 255 if dtype is np.uint8 else 1
        return self["tf"].constant((pixels * scale).astype(dtype))

    def pairs(self) -> Any:
        first = np.repeat(np.arange(self.rows), self.columns)
        second = np.tile(self._numbers.permutation(self.columns), self.rows)
        return self["tf"].constant(np.stack([first, second], -1).astype(np.int32))

    def batch(self) -> Any:
        width = {10: 2, 10_000: 50}.get(self["n"], 250)
        return self.normal(max(1, self["n"] // width**2), width, width)

    def table(self) -> Any:
        lookup = self["tf"].lookup
        keys = self["s"][:1000]
        values = self["tf"].range(len(keys), dtype="int64")
        return lookup.StaticHashTable(lookup.KeyValueTensorInitializer(keys, values), -1)


_MAKERS: dict[str, Callable[[Inputs], Any]] = {
    "x": lambda i: i.normal(i.rows, i.columns),
    "y": lambda i: i.normal(i.rows, i.columns),
    "w": lambda i: i.normal(i.columns, i.rows),
    "p": lambda i: i.uniform(i.rows, i.columns),
    "u": lambda i: i.uniform(i.rows, i.columns),
    "x64": lambda i: i.normal(i.rows, i.columns, dtype=np.float64),
    "half": lambda i: i.normal(i.rows, i.columns, dtype=np.float16),
    "z": lambda i: i["tf"].complex(i["x"], i["y"]),
    "k": lambda i: i.integers(i.columns, i.rows, i.columns),
    "m": lambda i: i.normal(i.rows, i.columns) > 0,
    "row": lambda i: i.uniform(i.columns),
    "column": lambda i: i.uniform(i.rows, 1),
    "flat": lambda i: i.normal(i.rows * i.columns),
    "flat_k": lambda i: i.integers(1000, i["n"]),
    "increasing": lambda i: i["tf"].sort(i.normal(1000)),
    "labels": lambda i: i.integers(i.columns, i.rows),
    "distribution": lambda i: i["tf"].nn.softmax(i["y"]),
    "rows": lambda i: i["tf"].constant(i._numbers.permutation(i.rows).astype(np.int32)),
    "segments": lambda i: i["tf"].constant((np.arange(i.rows) // 2).astype(np.int32)),
    "pairs": Inputs.pairs,
    "array": lambda i: i._numbers.standard_normal((i.rows, i.columns)).astype(np.float32),
    "batch": Inputs.batch,
    "definite": lambda i: i.definite(64),
    "small": lambda i: i.definite(16),
    "one": lambda i: i.definite(200)[0],
    "triples": lambda i: i.normal(max(1, i["n"] // 3), 3),
    "generator": lambda i: i["tf"].random.Generator.from_seed(1),
    "s": Inputs.texts,
    "digits": Inputs.digits,
    "short": lambda i: i.integers(1000, max(1, i["n"] // 10)),
    "order": lambda i: i.integers(max(1, i["n"] // 10), max(1, i["n"] // 10)),
    "table": Inputs.table,
    "images": Inputs.images,
    "even_images": lambda i: i.normal(max(1, i["n"] // 1200), 20, 2 if i["n"] == 10 else 20, 3),
    "layer_norm": lambda i: i["tf"].keras.layers.LayerNormalization(),
    "bytes_images": lambda i: i.images(np.uint8),
    "filters": lambda i: i.normal(3, 3, 3, 8),
    "target": lambda i: [max(1, i.side * 3 // 2)] * 2,
    "boxes": lambda i: i["tf"].constant(np.array([[0.1, 0.1, 0.8, 0.9]] * 8, np.float32)),
    "indices": lambda i: i["tf"].zeros([8], "int32"),
    "png": lambda i: i["tf"].io.encode_png(i["bytes_images"][0]),
    "jpeg": lambda i: i["tf"].io.encode_jpeg(i["bytes_images"][0]),
}


def prepare(tf: Any, expression: str, n: int) -> Step:
    """Return the function that evaluates `expression` on inputs of about `n` elements."""
    inputs = Inputs(tf, n)
    formula = expression.removeprefix(PREFIX)
    names = compile(formula, expression, "eval").co_names
    values = {name: inputs[name] for name in names if name in inputs or name in _MAKERS}
    evaluate: Step = eval(f"lambda: {formula}", values)
    if not expression.startswith(PREFIX):
        return evaluate

    def gradient() -> object:
        x = values["x"]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = evaluate()
        return tape.gradient(y, x)

    return gradient


@cache
def op_case(name: str) -> Case:
    """Return the case `<elements>: <expression>`."""
    size, expression = name.split(": ", 1)
    return Case(
        expression,
        1.0,
        lambda tf: prepare(tf, expression, int(size)),
        warm=WARM_SECONDS[int(size)],
        repeat=REPEAT_SECONDS,
        chunks=CHUNKS,
        peer_warms=False,
    )
