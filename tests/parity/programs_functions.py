"""`tf.function`: which calls trace, how calls are bound, what is refused, and how it all prints."""

PRELUDE = """
import collections, functools
S = tf.TensorSpec
def count(*calls, **options):
    traces, counts = [], []
    @tf.function(**options)
    def f(*args):
        traces.append(1)
        return 0
    for call in calls:
        f(*call)
        counts.append(len(traces))
    return counts
def why(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
def shown(f, *args, **kwargs):
    c = tf.function(f).get_concrete_function(*args, **kwargs)
    return [c.pretty_printed_signature(), c.pretty_printed_signature(verbose=False),
            str(c.structured_input_signature), [t.name for t in c.inputs]]
class Thing:
    def method(self):
        return 1
class Equal:
    def __eq__(self, other):
        return isinstance(other, Equal)
    def __hash__(self):
        return 1
Point = collections.namedtuple('Point', 'x y')
v, w = tf.Variable(1.0), tf.Variable(2.0)
one, two, three = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
"""

_TRACES = {
    "values of tensors": "count((one,), (two,), (three,))",
    "dtypes and shapes": "count((one,), (tf.constant(1),), (tf.constant([1.0]),), (two,))",
    "ranks": "count((tf.zeros([1]),), (tf.zeros([2]),), (tf.zeros([1, 1]),), (tf.zeros([2]),))",
    "ints": "count((1,), (2,), (1,), (2,))",
    "strings": "count(('a',), (b'a',), ('a',))",
    "None": "count((None,), (None,))",
    "not a number": "count((float('nan'),), (float('nan'),))",
    "lists and tuples": "count(([1, 2],), ((1, 2),), ([1, 2],), ([1, 2, 3],))",
    "dicts": "count(({'a': 1, 'b': 2},), ({'b': 2, 'a': 1},), ({'a': 2, 'b': 2},), ({'a': 1},))",
    "classes of dicts": (
        "count(({'a': 1},), (collections.OrderedDict(a=1),), (collections.defaultdict(int, a=1),))"
    ),
    "named tuples": "count((Point(1, 2),), (Point(1, 2),), (Point(2, 2),), ((1, 2),))",
    "NumPy": (
        "count((np.float32(1),), (np.float32(2),), (one,), (np.float64(1),), (np.ones(3),), "
        "(np.ones(3),), (np.ones(4),))"
    ),
    "ranges": "count((range(3),), (range(3),), (range(2),))",
    "functions": "count((len,), (print,), (len,))",
    "classes": "count((Thing,), (Equal,), (Thing,))",
    "objects": "a, b = Thing(), Thing()\ncount((a,), (b,), (a,), (b,))",
    "equal objects": "a, b = Equal(), Equal()\ncount((a,), (b,))",
    "methods of one object": "a = Thing()\ncount((a.method,), (a.method,))",
    "dtypes as arguments": "count((tf.float32,), (tf.float32,), (tf.int32,))",
    "variables": "count((v, v), (v, w), (w, v), (w, w), (v, tf.Variable([1.0])))",
    "variables in structures": "count(([v, {'x': v}],), ([v, {'x': w}],), ([w, {'x': w}],))",
    "variables not trained": "count((v,), (tf.Variable(1.0, trainable=False),))",
    "ragged": (
        "count((tf.ragged.constant([[1]]),), (tf.ragged.constant([[2]]),), "
        "(tf.ragged.constant([[1], [2]]),))"
    ),
    "reduced": (
        "count(*[(tf.zeros(s),) for s in ([1], [2], [3], [1, 1], [1, 2], [1, 1, 1])], "
        "reduce_retracing=True)"
    ),
    "reduced, Python values": "count((1,), (2,), (3,), (3,), reduce_retracing=True)",
    "reduced, structures": (
        "count(*[({'a': tf.zeros([n]), 'b': b},) for n, b in "
        "((1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (5, 2))], reduce_retracing=True)"
    ),
    "reduced, variables": (
        "count(*[(tf.Variable(tf.zeros([n])),) for n in (1, 2, 3)], reduce_retracing=True)"
    ),
    "number of arguments": "count((1,), (1, 2), (1,))",
}

_SERVE = """
def serves(known, asked, **options):
    f = tf.function(lambda x: x, **options)
    for shape in known:
        f.get_concrete_function(S(shape))
    c = f.get_concrete_function(tf.zeros(asked))
    return [f.experimental_get_tracing_count(), c.structured_input_signature[0][0].shape]
"""
_SERVES = {
    "a wide trace first": "serves([None, [None], [3]], [3])",
    "the narrowest": "serves([[3], [None], None], [3])",
    "the next": "serves([[3], [None], None], [4])",
    "the widest": "serves([[3], [None], None], [4, 4])",
    "either of two": "serves([[None, 3], [3, None]], [3, 3])",
    "either of two, the other way": "serves([[3, None], [None, 3]], [3, 3])",
    "generalized": "serves([[3], [4], [5, 5]], [6], reduce_retracing=True)",
}

_CALLS = {
    "missing": "f()",
    "missing the second": "f(1)",
    "too many": "f(1, 2, 3)",
    "unexpected": "f(1, 2, w=3)",
    "twice": "f(1, 2, x=3)",
}

_H = "h = tf.function(lambda x, y=3: x, input_signature=[S([None])])\n"
_SIGNATURES = {
    "a tensor": "h(tf.constant([1.0, 2.0]))",
    "a list": "h([1.0, 2.0])",
    "ints": "h([1, 2])",
    "float64": "h(np.ones(3))",
    "a variable": "h(tf.Variable([1.0]))",
    "by keyword": "h(x=[1.0])",
    "tensors in a list": "h([one, two])",
    "wrong rank": "why(lambda: h(tf.constant([[1.0]])))",
    "wrong dtype": "why(lambda: h(tf.constant([1])))",
    "None": "why(lambda: h(None))",
    "another default": "why(lambda: h([1.0], 4))",
    "another default by keyword": "why(lambda: h([1.0], y=4))",
    "nothing": "why(lambda: h())",
    "the concrete function": "str(h.get_concrete_function())",
    "a narrower spec": "str(h.get_concrete_function(S([3])))",
    "another spec": "why(lambda: h.get_concrete_function(S([3], tf.int32)))",
    "a wider spec": "why(lambda: h.get_concrete_function(S(None)))",
    "a named spec": "why(lambda: h.get_concrete_function(S([None], name='foo')))",
}
_DECLARED = {
    "too long": "[S([]), S([])], lambda x: x",
    "too short": "[S([])], lambda x, y: x",
    "empty": "[], lambda x: x",
    "not a list": "S([]), lambda x: x",
    "a number": "[1], lambda x: x",
    "a dtype": "[tf.float32], lambda x: x",
    "None": "[None], lambda x: x",
    "a keyword without default": "[S([])], lambda x, *, k: x",
}
_NESTED = """
n = tf.function(lambda d, e: d['a'] + e[0], input_signature=[{'a': S([])}, [S([]), S([])]])
"""
_NESTED_CALLS = {
    "fits": "n({'a': 1.0}, [1.0, 2.0])",
    "another class of dict": "n(collections.OrderedDict(a=1.0), [1.0, 2.0])",
    "wrong key": "why(lambda: n({'b': 1.0}, [1.0, 2.0]))",
    "one more key": "why(lambda: n({'a': 1.0, 'b': 1.0}, [1.0, 2.0]))",
    "a tuple": "why(lambda: n({'a': 1.0}, (1.0, 2.0)))",
}

_PRINTED = {
    "tensors": "shown(lambda a, b: a, S([]), S([None, 2], tf.int32))",
    "a value": "shown(lambda a, b: a ** b, a=S(None), b=2)",
    "defaults": "shown(lambda x, y=2: x, S([]))",
    "defaults by keyword": "shown(lambda x, y=2: x, y=S([]), x=S([1]))",
    "varargs": "shown(lambda x, *args, k=1: x, S([]), S([1]))",
    "no varargs given": "shown(lambda x, *args, k=1: x, S([]))",
    "keywords": "shown(lambda *args, **kw: args[0], S([]), S([1]), b=1, a=S([]))",
    "a list": "shown(lambda d: 1, [S([]), [S([1]), S([2])], (S([3]),)])",
    "a dict": "shown(lambda d: 1, {'k': S([1]), 'z': [1, 's']})",
    "names": "shown(lambda d: 1, [S([], name='foo'), S([], name='bar')])",
    "the same name twice": "shown(lambda a, b: 1, S([], name='foo'), S([], name='foo'))",
    "a key with spaces": "shown(lambda d: 1, {'b c/': S([])})",
    "a variable": "shown(lambda d: 1, tf.Variable(1.0))",
    "ragged": "shown(lambda d: 1, tf.RaggedTensorSpec([None, None], tf.int32))",
    "results": "shown(lambda x: {'s': x, 'l': [x, (x,)], 'n': Point(x, None), 'c': 3}, S([]))",
    "nothing": "shown(lambda: None)",
    "all traces": (
        "f = tf.function(lambda x: x)\nf(1); f(one); f(tf.zeros([2]))\n"
        "[f.pretty_printed_concrete_signatures(), f.pretty_printed_concrete_signatures(False)]"
    ),
    "the declared type": "str(tf.function(lambda x, y=2, *args, z=3, **kw: x).function_type)",
}

_POWER = "c = tf.function(lambda a, b: a ** b).get_concrete_function(a=S(None), b=2)\n"
_CONCRETE = {
    "a tensor": "c(three)",
    "by keyword": "c(a=three)",
    "with the value": "c(three, b=2)",
    "with the value by position": "c(three, 2)",
    "another value": "why(lambda: c(three, b=3))",
    "a number": "why(lambda: c(3.0))",
    "nothing": "why(lambda: c())",
    "too many": "why(lambda: c(three, 2, 3))",
    "unexpected": "why(lambda: c(three, q=3))",
    "a list": "why(lambda: c([3.0, 4.0]))",
    "another dtype": "c(tf.constant(3))",
}

_MADE = """
def make(when):
    made, traces = [], []
    @tf.function
    def f(x, n):
        traces.append(1)
        if len(made) < n or when == 'always':
            made.append(tf.Variable(x * 2))
        return x + made[0] if made else x
    return f, made, traces
"""
_VARIABLES = {
    "made on the first call": (
        "f, made, traces = make('once')\n"
        "[f(one, 1), f(two, 1), f(tf.constant([1.0]), 1), len(traces), made]"
    ),
    "none made": "f, made, traces = make('once')\n[f(one, 0), len(traces)]",
    "made on every call": "f, made, traces = make('always')\nf(one, 1)",
    "made late": "f, made, traces = make('once')\nf(one, 0)\nf(one, 1)",
    "one more made late": "f, made, traces = make('once')\nf(one, 1)\nf(one, 2)",
    "arguments": (
        "@tf.function\ndef f(a, b):\n    a.assign_add(1.0)\n    return b + 0.0\n"
        "[f(v, v), f(v, w), f(w, w), v, w]"
    ),
    "the gradient of an argument": (
        "f = tf.function(lambda v: v * v)\nwith tf.GradientTape() as t:\n    y = f(w)\n"
        "t.gradient(y, w)"
    ),
}

_OBJECTS = {
    "partial": "tf.function(functools.partial(lambda a, b: a - b, b=5.0))(one)",
    "a callable object": "class C:\n    def __call__(self, x): return x + 1\ntf.function(C())(one)",
    "a method": "class C:\n    def m(self, x): return x + 1\ntf.function(C().m)(one)",
    "a function again": "tf.function(tf.function(lambda x: x + 1))(one)",
    "not callable": "tf.function(3)",
    "an unknown attribute": "tf.function(lambda x: x, experimental_attributes={'nonsense': 1})",
    "an unknown argument": "tf.function(lambda x: x, nonsense=1)",
    "its names": (
        "def g(x):\n    'Text.'\nf = tf.function(g)\n[f.__name__, f.__doc__, f.name, "
        "f.python_function is g, f.__wrapped__ is g]"
    ),
    "methods of classes": (
        "class C:\n    def __init__(self, n): self.n = n\n"
        "    @tf.function\n    def m(self, x): return x * self.n\n"
        "    @tf.function(input_signature=[S([None])])\n"
        "    def s(self, x): return tf.reduce_sum(x) * self.n\n"
        "    @staticmethod\n    @tf.function\n    def t(x): return x + 1\n"
        "a, b = C(2.0), C(3.0)\n"
        "[a.m(one), b.m(one), a.m(two), a.s([1, 2]), b.s(tf.ones([3])), C.t(one), C.m(b, one), "
        "a.m.experimental_get_tracing_count()]"
    ),
    "run eagerly": (
        "f = tf.function(lambda x, y=2: [x, y], input_signature=[S([])])\n"
        "tf.config.run_functions_eagerly(True)\nr = [f('a'), tf.config.functions_run_eagerly()]\n"
        "tf.config.run_functions_eagerly(False)\nr"
    ),
    "results that are not tensors": "tf.function(lambda x: (x, 3, None, 'a', 1.5))(one)",
    "an object as a result": "tf.function(lambda x: object())(one)",
    "an unhashable argument": "tf.function(lambda x: 0)({1})",
    "a spec as an argument": "tf.function(lambda x: 0)(S([]))",
    "no compiled code": "tf.function(lambda x: x).experimental_get_compiler_ir(one)",
}


def _programs(area: str, setting: str, programs: dict[str, str]) -> list[tuple[str, str]]:
    return [(f"{area}: {name}", PRELUDE + setting + code) for name, code in programs.items()]


def _declarations() -> dict[str, str]:
    # Up to where the classes of the two libraries are named.
    template = (
        "why(lambda: (lambda s, f: tf.function(f, input_signature=s))({})).split('<class ')[0]"
    )
    return {name: template.format(arguments) for name, arguments in _DECLARED.items()}


PROGRAMS = [
    *_programs("traces", "", _TRACES),
    *_programs("serves", _SERVE, _SERVES),
    *_programs(
        "calls",
        "f = tf.function(lambda x, y: x)\n",
        {name: f"why(lambda: {call})" for name, call in _CALLS.items()},
    ),
    *_programs("signatures", _H, _SIGNATURES),
    *_programs("declared", "", _declarations()),
    *_programs("nested", _NESTED, _NESTED_CALLS),
    *_programs("printed", "", _PRINTED),
    *_programs("concrete", _POWER, _CONCRETE),
    *_programs("variables", _MADE, _VARIABLES),
    *_programs("objects", "", _OBJECTS),
]
