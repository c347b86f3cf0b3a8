"""Branches, loops and arrays, in a plain graph and in functions."""

SAME = """
tf.cond(flags[0], lambda: x, lambda: y)
tf.cond(flags[0], lambda: (x, y), lambda: (y, x), name="pick")
tf.switch_case(n[0], [lambda: x, lambda: y])
tf.switch_case(n[0], [lambda: x, lambda: y], name="chosen")
tf.case([(flags[0], lambda: x), (flags[1], lambda: y)], default=lambda: x)
tf.map_fn(tf.exp, x)
tf.map_fn(lambda a: a, x, name="each")
tf.map_fn(tf.exp, tf.map_fn(tf.exp, x))
tf.scan(lambda a, b: a + b, x)
tf.TensorArray(tf.float32, 3).unstack(x).read(0)
tf.TensorArray(tf.float32, 3).unstack(x).stack()
tf.TensorArray(tf.float32, 3).unstack(x).stack(name="all")
tf.TensorArray(tf.float32, 3).unstack(x).gather([0])
tf.TensorArray(tf.float32, 3).unstack(x).concat()
tf.TensorArray(tf.float32, 0, dynamic_size=True).size()
tf.TensorArray(tf.float32, 3).flow
tf.TensorArray(tf.float32, 3, name="array").flow
tf.TensorArray(tf.float32, 3).write(0, x).flow
tf.TensorArray(tf.float32, 3).unstack(x).flow
tf.TensorArray(tf.float32, 3).scatter([0, 1], x).flow
tf.TensorArray(tf.float32, 3).split(v, [1, 1, 2]).flow
traced(lambda x, note: tf.cond(x[0, 0] > 0, lambda: note(x * 2.0), lambda: note(x + 1.0)))
traced(lambda x, n: tf.cond(x[0, 0] > 0, lambda: tf.map_fn(lambda a: n(-a), x), lambda: x))
traced(lambda x, note: tf.switch_case(tf.cast(x[0, 0], tf.int32), [lambda: note(-x), lambda: x]))
traced(lambda x, n: tf.case([(x[0, 0] > 0, lambda: n(-x))], default=lambda: n(x + 1.0)))
traced(lambda x, note: tf.map_fn(lambda row: note(note(row) * 2.0), x))
traced(lambda x, n: tf.while_loop(lambda a: n(a[0, 0] < 1), lambda a: n(n(a) * 2.0), [x]) and x)
tf.group(x, y)
tf.tuple([x, y])
tf.group(x, y, name="both")
"""

IN_SCOPE = """
gradient(lambda a: tf.cond(flags[0], lambda: a * 2.0, lambda: a), x)
traced(lambda x, note: tf.foldl(lambda a, b: note(a + b), x))
traced(lambda x, note: tf.foldr(lambda a, b: note(a + b), x, name="back"))
"""
