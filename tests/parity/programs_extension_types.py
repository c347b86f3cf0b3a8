"""Programs about `tf.experimental.ExtensionType` and functions overridden for types."""

E = """from typing import *
E, B = tf.experimental.ExtensionType, tf.experimental.BatchableExtensionType
X = tf.experimental
parts = lambda v: tf.nest.flatten(v, expand_composites=True)
class M(E):
  values: tf.Tensor
  mask: tf.Tensor
class W(E):
  v: tf.Tensor
  n: int = 0
class V(B):
  a: tf.Tensor
  b: tf.Tensor
m = M([1., -2., 3.], [True, False, True])
v = V([[1, 2], [3, 4], [5, 6]], [1., 2., 3.])
"""
D = E + "D = tf.data.Dataset\n"
FIELD = E + "class F(E):\n  x: {}\n"
GRADIENT = (
    E
    + """class Values:
  def get_gradient_components(self, value): return value.values
  def replace_gradient_components(self, value, g): return G(g, value.mask)
class G(E):
  values: tf.Tensor
  mask: tf.Tensor
  __composite_gradient__ = Values()
def gradient(f, x, **options):
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
  return tape.gradient(y, x, **options)
g = G([1., 2.], [1., 0.])
"""
)


def overriding(api: str, body: str, use: str, signature: str = "{'x': M}") -> str:
    """A program that overrides a function, uses it and leaves it as it was."""
    return (
        E + f"def f{body}\nf = X.dispatch_for_api({api}, {signature})(f)\n"
        f"try:\n  r = {use}\nfinally:\n  X.unregister_dispatch_for(f)\nr"
    )


def elementwise(kind: str, types: str, body: str, use: str) -> str:
    """A program that handles element-wise functions and leaves them as they were."""
    return (
        E + f"def f{body}\nf = X.dispatch_for_{kind}_apis({types})(f)\n"
        f"try:\n  r = {use}\nfinally:\n  X.unregister_dispatch_for(f)\nr"
    )


UNARY = "(api, x): return M(api(x.values), x.mask)"
PLUS = "(x, y): return 'f', type(x).__name__, type(y).__name__"

PROGRAMS = [
    # fields
    ("fields", E + "[m.values, m.mask, W(1).n, W(n=3, v=2).v]"),
    ("a representation", E + "[repr(m), str(W(1))]"),
    ("a missing field", E + "M(1)"),
    ("too many fields", E + "M(1, 2, 3)"),
    ("an unknown field", E + "M(1, 2, x=3)"),
    ("no tensor", E + "M(1, None)"),
    ("an int", FIELD.format("int") + "F(1.5)"),
    ("a bool for an int", FIELD.format("int") + "F(True).x"),
    ("an int for a float", FIELD.format("float") + "F(1)"),
    ("a shape", FIELD.format("tf.TensorShape") + "F([1, None]).x"),
    ("no shape", FIELD.format("tf.TensorShape") + "F('a')"),
    ("a dtype", FIELD.format("tf.DType") + "F('float16').x"),
    ("a tuple", FIELD.format("Tuple[int, tf.Tensor]") + "F([1, 2.]).x"),
    ("a short tuple", FIELD.format("Tuple[int, tf.Tensor]") + "F([1])"),
    ("a sequence", FIELD.format("tuple[tf.Tensor, ...]") + "F([1, 2.]).x"),
    ("no sequence", FIELD.format("tuple[tf.Tensor, ...]") + "F(1)"),
    ("a mapping", FIELD.format("Mapping[str, tf.Tensor]") + "F({'b': 1, 'a': 2.}).x"),
    (
        "flat in order of keys",
        FIELD.format("Mapping[str, tf.Tensor]") + "parts(F({'b': 1, 'a': 2}))",
    ),
    ("wrong keys", FIELD.format("Mapping[str, tf.Tensor]") + "F({1: 1})"),
    ("a mapping is not changed", FIELD.format("Mapping[str, int]") + "F({}).x['a'] = 1\n0"),
    ("a union", FIELD.format("Union[int, str, tf.Tensor]") + "[F(1).x, F('a').x, F(1.5).x]"),
    ("no union", FIELD.format("Union[int, str]") + "F(1.5)"),
    ("an optional", FIELD.format("Optional[tf.Tensor]") + "[F(None).x, F(1).x]"),
    (
        "a ragged field",
        FIELD.format("tf.RaggedTensor") + "parts(F(tf.ragged.constant([[1], [2]])))",
    ),
    ("no ragged field", FIELD.format("tf.RaggedTensor") + "F(1)"),
    ("a nested type", FIELD.format("W") + "F(W(1)).x.v"),
    ("no nested type", FIELD.format("W") + "F(1)"),
    ("a list annotation", FIELD.format("List[int]") + "0"),
    ("a literal annotation", FIELD.format("Literal[1]") + "0"),
    ("a variable annotation", FIELD.format("tf.Variable") + "0"),
    ("no annotation", E + "class F(E):\n  x = 1\n0"),
    ("a wrong default", E + "class F(E):\n  x: int = 'a'\n0"),
    ("a reserved name", E + "class F(E):\n  _type_spec: int\n0"),
    ("a derived type", E + "class F(W):\n  z: int\n[F(1, z=2).n, F(1, 3, z=2).n]"),
    ("a derived type by place", E + "class F(W):\n  z: int\nF(1, 2, 3)"),
    ("the abstract type", E + "E()"),
    # constructors
    (
        "a constructor",
        E + "class F(E):\n  x: tf.Tensor\n  def __init__(self, y): self.x = y * 2\nF(3.).x",
    ),
    ("an incomplete constructor", E + "class F(E):\n  x: int\n  def __init__(self): pass\nF()"),
    ("a constructor of more", E + "class F(E):\n  x: int\n  def __init__(self): self.y = 1\nF()"),
    (
        "validation",
        E + "class F(E):\n  x: int\n  def __validate__(self): assert self.x > 0\n[F(1).x, F(0).x]",
    ),
    ("set a field", E + "m.values = 1\n0"),
    ("delete a field", E + "del m.values\n0"),
    ("set an item", E + "m.mask[0] = 1\n0"),
    # equality
    ("equal", E + "[m == m, m != m, W(1) == W(2), W(1) != W(2)]"),
    (
        "unequal types",
        E + "[m == 1, m != 1, W(1) == W(1.), W(1, 1) == W(1, 2), W([1]) == W([1, 1])]",
    ),
    ("a hash", E + "hash(m)"),
    # specs
    ("a spec", E + "str(tf.type_spec_from_value(W([1., 2.], 3)))"),
    ("a made spec", E + "str(W.Spec(tf.TensorSpec([None]), 3))"),
    ("a spec of values", E + "W.Spec(1, 3)"),
    ("a spec of less", E + "W.Spec(tf.TensorSpec([]))"),
    (
        "compatible",
        E + "s = W.Spec(tf.TensorSpec([None]), 3)\n[s.is_compatible_with(x) for x in "
        "(W([1.], 3), W([1.], 4), W([1], 3), W(1., 3), tf.constant([1.]))]",
    ),
    (
        "a supertype",
        E + "str(W([1.])._type_spec.most_specific_common_supertype([W([1., 2.])._type_spec]))",
    ),
    ("no supertype", E + "W(1.)._type_spec.most_specific_common_supertype([W(1., 2)._type_spec])"),
    ("a subtype", E + "W([1.])._type_spec.is_subtype_of(W.Spec(tf.TensorSpec([None]), 0))"),
    ("set a spec's field", E + "m._type_spec.mask = 1\n0"),
    (
        "mapped parts",
        E + "parts(tf.nest.map_structure(lambda t: t * 2, W(3), expand_composites=True))",
    ),
    ("an opaque leaf", E + "len(tf.nest.flatten([m, m]))"),
    # functions and control flow
    ("a function", E + "parts(tf.function(lambda m: M(m.values * 2, m.mask))(m))"),
    (
        "traces",
        E + "n = []\nf = tf.function(lambda w: n.append(0))\n"
        "[f(w) for w in (W(1.), W(2.), W([1.]), W(1., 1), W(1., 1))]\nlen(n)",
    ),
    (
        "a signature",
        E + "s = W.Spec(tf.TensorSpec([None]), 0)\n"
        "f = tf.function(lambda w: w.v * 2, input_signature=[s])\n[f(W([1.])), f(W([1., 2.]))]",
    ),
    (
        "another dtype",
        E + "s = W.Spec(tf.TensorSpec([None]), 0)\n"
        "tf.function(lambda w: w.v, input_signature=[s])(W([1]))",
    ),
    (
        "another type",
        E + "s = W.Spec(tf.TensorSpec([None]), 0)\n"
        "tf.function(lambda w: w.v, input_signature=[s])(m)",
    ),
    (
        "a branch",
        E + "f = tf.function(lambda p: tf.cond(p, lambda: W([1.]), lambda: W([1., 2.])))\n"
        "[f(tf.constant(True)).v, f(tf.constant(False)).v]",
    ),
    (
        "branches of other types",
        E + "tf.function(lambda p: tf.cond(p, lambda: W(1., 1), "
        "lambda: W(1., 2)))(tf.constant(True))",
    ),
    (
        "a loop",
        E + "parts(tf.function(lambda w: tf.while_loop(lambda i, w: i < 3, "
        "lambda i, w: (i + 1, W(w.v * 2, w.n)), [0, w]))(W(1.)))",
    ),
    (
        "a loop that changes the type",
        E + "tf.function(lambda w: tf.while_loop(lambda i, w: i < 3, "
        "lambda i, w: (i + 1, W(w.v, w.n + 1)), [0, w]))(W(1.))",
    ),
    (
        "a loop that changes the shape",
        E + "tf.function(lambda w: tf.while_loop(lambda i, w: i < 3, "
        "lambda i, w: (i + 1, W(tf.concat([w.v, w.v], 0))), [0, w]))(W([1.]))",
    ),
    ("identity", E + "parts(tf.identity(m))"),
    ("no tensor itself", E + "tf.is_tensor(m)"),
    ("an op without override", E + "tf.sin(m)"),
    ("operators without override", E + "m + m"),
    ("a Python function", E + "tf.py_function(lambda w: w.v * 2, [W([1.])], tf.float32)"),
    # gradients
    ("a gradient by values", GRADIENT + "parts(gradient(lambda g: g.values ** 2, g))"),
    ("a gradient of values", GRADIENT + "gradient(lambda x: G(x * 3, x), tf.constant([1., 2.]))"),
    ("no gradient", GRADIENT + "gradient(lambda m: m.values, m)"),
    ("an unconnected gradient", GRADIENT + "gradient(lambda g: tf.constant(1.), g)"),
    # batches
    ("slices", D + "[parts(x) for x in D.from_tensor_slices(v)]"),
    ("batches", D + "[parts(x) for x in D.from_tensor_slices(v).batch(2)]"),
    ("the spec of batches", D + "str(D.from_tensor_slices(v).batch(2).element_spec)"),
    ("full batches", D + "str(D.from_tensor_slices(v).batch(2, True).element_spec)"),
    ("batches undone", D + "[parts(x) for x in D.from_tensors(v).unbatch()]"),
    ("a map", D + "[parts(x) for x in D.from_tensor_slices(v).map(lambda x: V(x.a * 2, x.b))]"),
    ("NumPy's values", D + "D.from_tensor_slices(v).as_numpy_iterator()"),
    ("map_fn", E + "parts(tf.map_fn(lambda x: V(x.a * 2, x.b), v))"),
    ("map_fn to a tensor", E + "tf.map_fn(lambda x: x.b, v, fn_output_signature=tf.float32)"),
    ("map_fn to another type", E + "tf.map_fn(lambda x: x.b, v)"),
    (
        "map_fn from a tensor",
        E + "s = V.Spec(tf.TensorSpec([2]), tf.TensorSpec([]))\n"
        "parts(tf.map_fn(lambda x: V([x, x], x), tf.constant([1., 2.]), fn_output_signature=s))",
    ),
    ("vectorized_map", E + "parts(tf.vectorized_map(lambda x: V(x.a * 2, x.b), v))"),
    ("unbatch a scalar", E + "v._type_spec._unbatch()._unbatch()"),
    # overrides
    ("an override", overriding("tf.add", PLUS, "[tf.add(m, 1), tf.add(x=m, y=m), tf.add(1, 2)]")),
    ("another argument", overriding("tf.add", PLUS, "tf.add(1, m)")),
    ("a named call", overriding("tf.add", PLUS, "tf.add(m, 1, name='n')")),
    ("a missing argument", overriding("tf.add", PLUS, "tf.add(m)")),
    (
        "lists",
        overriding(
            "tf.concat",
            "(values, axis): return len(values)",
            "[tf.concat([m, m], 0), tf.concat((m,), 0), tf.concat([[1], [2]], 0)]",
            "{'values': List[M]}",
        ),
    ),
    (
        "mixed lists",
        overriding(
            "tf.concat", "(values, axis): return 1", "tf.concat([m, 1], 0)", "{'values': List[M]}"
        ),
    ),
    (
        "unions",
        overriding(
            "tf.add",
            PLUS,
            "[tf.add(m, m), tf.add(m, tf.constant(1))]",
            "{'x': M, 'y': Union[M, tf.Tensor]}",
        ),
    ),
    (
        "unions of tensors",
        overriding("tf.add", PLUS, "tf.add(m, 1)", "{'x': M, 'y': Union[M, tf.Tensor]}"),
    ),
    (
        "a target that declines",
        overriding("tf.add", "(x, y): return NotImplemented", "tf.add(m, 1)"),
    ),
    ("a target that fails", overriding("tf.add", "(x, y): raise KeyError", "tf.add(m, 1)")),
    ("other parameters", overriding("tf.add", "(a, b): pass", "0")),
    ("an unknown parameter", overriding("tf.add", PLUS, "0", "{'z': M}")),
    ("an unsupported annotation", overriding("tf.add", PLUS, "0", "{'x': Tuple[M]}")),
    ("no dictionary", overriding("tf.add", PLUS, "0", "[M]")),
    ("what has no dispatch", overriding("tf.function", PLUS, "0")),
    ("a function of the user", overriding("(lambda x: x)", PLUS, "0")),
    ("no signature", E + "X.dispatch_for_api(tf.add)(lambda x, y: x)"),
    ("undone twice", E + "X.unregister_dispatch_for(len)"),
    (
        "unary functions",
        elementwise(
            "unary_elementwise",
            "M",
            UNARY,
            "[parts(t) for t in (tf.abs(m), tf.cast(m, tf.int32), "
            "tf.clip_by_value(m, 0., 2.), tf.ones_like(m, dtype=tf.int64), tf.nn.relu(m))]",
        ),
    ),
    (
        "binary functions",
        elementwise(
            "binary_elementwise",
            "M, M",
            "(api, x, y): return api(x.values, y.values)",
            "[tf.add(m, m), tf.maximum(m, m, name='n'), tf.less(m, m)]",
        ),
    ),
    (
        "operators of tensors",
        elementwise(
            "binary_elementwise",
            "Union[M, tf.Tensor], Union[M, tf.Tensor]",
            "(api, x, y): return api.__name__",
            "[m.values * m, m.values - m, m.values < m, m < m.values]",
        ),
    ),
]
