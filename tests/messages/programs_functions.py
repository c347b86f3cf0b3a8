"""Mistakes with functions, traces and control flow."""

from tests.messages.program import Program

PROGRAMS = [
    Program(
        "a trace for every Python number",
        """
import tapeflow as tf

@tf.function
def step(learning_rate):
    return learning_rate * 2.0

for i in range(12):
    step(i / 10)  # <--
""",
        cause=(r"learning_rate|retrac", r"trac"),
        repair=(r"tf\.constant|tensor|input_signature",),
    ),
    Program(
        "a variable created by every call",
        """
import tapeflow as tf

@tf.function
def count(x):
    total = tf.Variable(0.0)  # <--
    return total.assign_add(x)

print(count(1.0))
""",
        cause=(r"variable", r"first call|non-first|more than once|second"),
        repair=(r"outside|is None|before the function|once",),
    ),
    Program(
        "a tensor of a trace in a list",
        """
import tapeflow as tf
history = []

@tf.function
def step(x):
    history.append(x * 2.0)  # <--
    return x

step(tf.constant(1.0))
print(history[0] + 1.0)
""",
        cause=(r"out of scope|scope|belongs to", r"step"),
        repair=(r"return|tf\.TensorArray|tf\.Variable",),
    ),
    Program(
        "a tensor as a Python bool",
        """
import tapeflow as tf

@tf.function(autograph=False)
def clip(x):
    if x > 0.0:  # <--
        return x
    return 0.0 * x

print(clip(tf.constant(2.0)))
""",
        cause=(r"bool",),
        repair=(r"tf\.cond|autograph",),
    ),
    Program(
        "a tensor of a trace in a global",
        """
import tapeflow as tf
last = None

@tf.function
def remember(x):
    global last
    last = x + 1.0  # <--
    return x

remember(tf.constant(1.0))
print(last * 2.0)
""",
        cause=(r"out of scope|scope|belongs to", r"remember"),
        repair=(r"return|tf\.Variable",),
    ),
    Program(
        "an assertion in a function",
        """
import tapeflow as tf

@tf.function
def root(x):
    tf.debugging.assert_non_negative(x, message="x must not be negative")  # <--
    return tf.sqrt(x)

print(root(tf.constant([1.0, -4.0])))
""",
        cause=(r"-4", r"must not be negative"),
        repair=(r"x must not be negative|>= 0",),
    ),
    Program(
        "a list that changed after the trace",
        """
import tapeflow as tf
factors = [1.0, 2.0]

@tf.function
def scale(x):
    for f in factors:
        x = x * f
    return x

scale(tf.constant(1.0))
factors.append(10.0)
print(scale(tf.constant(1.0)))  # <--
""",
        cause=(r"factors", r"trac"),
        repair=(r"argument|tf\.Variable",),
    ),
    Program(
        "recursion without an end in a function",
        """
import tapeflow as tf

@tf.function
def factorial(n):
    if n <= 1:
        return tf.constant(1)
    return n * factorial(n - 1)  # <--

print(factorial(tf.constant(5)))
""",
        cause=(r"recurs|calls itself", r"factorial"),
        repair=(r"while|loop|Python (int|number)",),
    ),
    Program(
        "a loop variable whose shape grows",
        """
import tapeflow as tf

@tf.function
def collect(n):
    rows = tf.zeros([1, 2])
    for i in tf.range(n):  # <--
        rows = tf.concat([rows, tf.ones([1, 2])], 0)
    return rows

print(collect(tf.constant(3)))
""",
        cause=(r"rows", r"\(1, 2\)|\[1, ?2\]"),
        repair=(r"shape_invariants|tf\.TensorArray",),
    ),
    Program(
        "branches of different dtypes",
        """
import tapeflow as tf

@tf.function
def half(x):
    if tf.reduce_sum(x) > 0.0:  # <--
        y = x / 2.0
    else:
        y = tf.constant([0, 0])
    return y

print(half(tf.constant([1.0, 2.0])))
""",
        cause=(r"'y'|`y`|\by\b", "float32", "int32"),
        repair=(r"tf\.cast\(|same dtype",),
    ),
    Program(
        "a name that only one branch defines",
        """
import tapeflow as tf

@tf.function
def sign(x):
    if x > 0.0:  # <--
        label = tf.constant("positive")
    return label  # <--

print(sign(tf.constant(1.0)))
""",
        cause=(r"'label'|`label`|label",),
        repair=(r"else|before the|in both|all branches|both branches",),
    ),
    Program(
        "a return in one branch only",
        """
import tapeflow as tf

@tf.function
def positive(x):
    if x > 0.0:  # <--
        return x

print(positive(tf.constant(1.0)))
""",
        cause=(r"return", r"branch|else"),
        repair=(r"else|all branches|both branches|every path|end of the function",),
    ),
    Program(
        "`if` over a vector",
        """
import tapeflow as tf

@tf.function
def rectify(x):
    if x > 0.0:  # <--
        return x
    else:
        return tf.zeros_like(x)

print(rectify(tf.constant([1.0, -1.0])))
""",
        cause=(r"\[2\]|\(2,\)", r"scalar|one value|single|boolean|bool"),
        repair=(r"tf\.where|tf\.reduce_any|tf\.reduce_all",),
    ),
    Program(
        "a NumPy function on a traced tensor",
        """
import numpy as np
import tapeflow as tf

@tf.function
def entropy(p):
    return -p * np.log(p)  # <--

print(entropy(tf.constant([0.5, 0.5])))
""",
        cause=(r"numpy", r"symbolic|trac|graph"),
        repair=(r"tf\.math|tf\.py_function|tf\.numpy_function",),
    ),
    Program(
        ".numpy() in a function",
        """
import tapeflow as tf

@tf.function
def show(x):
    print(x.numpy())  # <--
    return x

show(tf.constant(1.0))
""",
        cause=(r"numpy", r"symbolic|trac|graph"),
        repair=(r"tf\.print|tf\.py_function|outside",),
    ),
    Program(
        "an argument that the input signature refuses",
        """
import tapeflow as tf

@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def total(x):
    return tf.reduce_sum(x)

print(total(tf.ones([2, 4])))  # <--
""",
        cause=(r"None, ?3", r"2, ?4"),
        repair=(
            r"TensorSpec\(.*None, None|None in|wider|tf\.reshape|TensorSpec\(shape=\(None, None\)",
        ),
    ),
]
