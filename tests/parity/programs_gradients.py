"""Gradients: sources, targets, tapes in every state, and what is None."""

ONE = "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x**2\n"

PROGRAMS = [
    ("one variable", ONE + "tape.gradient(y, x)"),
    ("twice", ONE + "tape.gradient(y, x)\ntape.gradient(y, x)"),
    ("no source", ONE + "tape.gradient(y, [])"),
    (
        "structures of sources",
        "x = {'a': tf.Variable(1.0), 'b': [tf.Variable(2.0), tf.Variable(3.0)]}\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x['a'] * x['b'][0] * x['b'][1]\n"
        "tape.gradient(y, x)",
    ),
    (
        "several targets are summed",
        "x = tf.Variable(2.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = [x**2, {'z': 3 * x}]\n"
        "tape.gradient(y, x)",
    ),
    (
        "a vector is summed",
        "x = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * tf.constant([3.0, 4.0])\n"
        "tape.gradient(y, x)",
    ),
    (
        "output gradients",
        "x = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x**2\n"
        "tape.gradient(y, x, output_gradients=[1.0, 10.0])",
    ),
    (
        "a constant is not watched",
        "x = tf.constant(1.0)\nwith tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)",
    ),
    (
        "watch",
        "x = tf.constant(1.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    tape.watch(x)\n"
        "    y = x * x\n"
        "tape.gradient(y, x)",
    ),
    ("watch of a number", "with tf.GradientTape() as tape:\n    tape.watch(1.0)\n1"),
    ("watch of an array", "with tf.GradientTape() as tape:\n    tape.watch(np.ones(2))\n1"),
    (
        "an intermediate source",
        "x = tf.Variable(2.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "    z = y * y\n"
        "tape.gradient(z, [x, y])",
    ),
    (
        "persistent",
        "x = tf.Variable(2.0)\n"
        "with tf.GradientTape(persistent=True) as tape:\n"
        "    y = x * x\n"
        "    z = y * y\n"
        "[tape.gradient(z, x), tape.gradient(y, x)]",
    ),
    (
        "second order",
        "x = tf.Variable(2.0)\n"
        "with tf.GradientTape() as outer:\n"
        "    with tf.GradientTape() as inner:\n"
        "        y = x**3\n"
        "    d = inner.gradient(y, x)\n"
        "outer.gradient(d, x)",
    ),
    (
        "unconnected",
        "x, y = tf.Variable([1.0, 2.0]), tf.Variable(1.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    z = y * 2\n"
        "tape.gradient(z, [x, y])",
    ),
    (
        "unconnected as zeros",
        "x, y = tf.Variable([1.0, 2.0]), tf.Variable(1.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    z = y * 2\n"
        "tape.gradient(z, [x, y], unconnected_gradients=tf.UnconnectedGradients.ZERO)",
    ),
    (
        "unconnected by name",
        "x, y = tf.Variable(1.0), tf.Variable(1.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    z = y * 2\n"
        "tape.gradient(z, x, unconnected_gradients='zero')",
    ),
    (
        "through NumPy there is none",
        "x = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(np.square(x.numpy()))\n"
        "tape.gradient(y, x)",
    ),
    (
        "through ints there is none",
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.cast(tf.cast(x, tf.int32), tf.float32)\n"
        "tape.gradient(y, x)",
    ),
    (
        "through state there is none",
        "x, y = tf.Variable(3.0), tf.Variable(0.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y.assign(x * 2)\n"
        "    z = y * y\n"
        "tape.gradient(z, x)",
    ),
    (
        "not trainable",
        "x = tf.Variable(3.0, trainable=False)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "tape.gradient(y, x)",
    ),
    (
        "watched variables",
        "x, y = tf.Variable(1.0, name='x'), tf.Variable(2.0, name='y')\n"
        "with tf.GradientTape() as tape:\n"
        "    z = y * x\n"
        "[v.name for v in tape.watched_variables()]",
    ),
    (
        "automatic watching off",
        "x, y = tf.Variable(1.0), tf.Variable(2.0)\n"
        "with tf.GradientTape(watch_accessed_variables=False) as tape:\n"
        "    tape.watch(y)\n"
        "    z = y * x\n"
        "tape.gradient(z, [x, y])",
    ),
    (
        "stop recording",
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "    with tape.stop_recording():\n"
        "        z = y * y\n"
        "[tape.gradient(z, x)]",
    ),
    (
        "reset",
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "    tape.reset()\n"
        "    z = x + x\n"
        "tape.gradient(z, x)",
    ),
    (
        "stop gradient",
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * tf.stop_gradient(x)\n"
        "tape.gradient(y, x)",
    ),
    (
        "gathered rows are sparse",
        "x = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.gather(x, [2, 0, 2])\n"
        "tape.gradient(y, x)",
    ),
    (
        "broadcasting is undone",
        "x, y = tf.Variable([[1.0], [2.0]]), tf.Variable([3.0, 4.0, 5.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    z = x * y + 1.0\n"
        "tape.gradient(z, [x, y])",
    ),
    (
        "matrix products",
        "a, b = tf.Variable([[1.0, 2.0]]), tf.Variable([[3.0], [4.0]])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.matmul(a, b) ** 2\n"
        "tape.gradient(y, [a, b])",
    ),
    (
        "maximum shares ties",
        "x = tf.Variable([1.0, 3.0, 3.0])\n"
        "with tf.GradientTape(persistent=True) as tape:\n"
        "    y = tf.reduce_max(x)\n"
        "    z = tf.maximum(x, 3.0)\n"
        "[tape.gradient(y, x), tape.gradient(z, x)]",
    ),
    (
        "corners of functions",
        "x = tf.Variable([0.0, -1.0, 1.0])\n"
        "with tf.GradientTape(persistent=True) as tape:\n"
        "    ys = [tf.abs(x), tf.nn.relu(x), tf.sign(x), tf.sqrt(x), x**0.5, tf.norm(x)]\n"
        "[tape.gradient(y, x) for y in ys]",
    ),
    (
        "relu of infinite gradients",
        "x = tf.Variable([-1.0, 0.0, 2.0, float('nan')])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.nn.relu(x)\n"
        "inf, nan = float('inf'), float('nan')\n"
        "tape.gradient(y, x, output_gradients=tf.constant([inf, nan, inf, 1.0]))",
    ),
    (
        "slices and concatenation",
        "x = tf.Variable([1.0, 2.0, 3.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.concat([x[1:], x[::2] * 2], 0)\n"
        "tape.gradient(y, x)",
    ),
    (
        "jacobian",
        "x = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.stack([x[0] * x[1], x[0] ** 2, x[1]])\n"
        "tape.jacobian(y, x)",
    ),
    (
        "batch jacobian",
        "x = tf.constant([[1.0, 2.0], [3.0, 4.0]])\n"
        "with tf.GradientTape() as tape:\n"
        "    tape.watch(x)\n"
        "    y = x * x\n"
        "tape.batch_jacobian(y, x)",
    ),
    (
        "custom gradient",
        "@tf.custom_gradient\n"
        "def f(x):\n"
        "    return x * x, lambda dy: dy * 100.0\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = f(x)\n"
        "[y, tape.gradient(y, x)]",
    ),
    (
        "forward accumulation",
        "x = tf.constant([1.0, 2.0])\n"
        "with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as acc:\n"
        "    y = tf.reduce_sum(x * x)\n"
        "acc.jvp(y)",
    ),
    (
        "python control flow",
        "x = tf.Variable(2.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x\n"
        "    while y < 20.0:\n"
        "        y = y * x\n"
        "tape.gradient(y, x)",
    ),
    (
        "a string target",
        "x = tf.Variable(2.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * 1.0\n"
        "tape.gradient('y', x)",
    ),
    (
        "a number as source",
        ONE + "tape.gradient(y, 3.0)",
    ),
    (
        "an int target",
        "x = tf.Variable(2)\nwith tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)",
    ),
    (
        "complex gradients",
        "x = tf.Variable(1 + 2j)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.math.real(x * x)\n"
        "tape.gradient(y, x)",
    ),
    (
        "convolution",
        "x = tf.Variable(tf.reshape(tf.range(32.0), [1, 4, 4, 2]))\n"
        "w = tf.Variable(tf.reshape(tf.range(24.0), [2, 2, 2, 3]))\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.nn.conv2d(x, w, 2, 'SAME')\n"
        "tape.gradient(y, [x, w])",
    ),
]
