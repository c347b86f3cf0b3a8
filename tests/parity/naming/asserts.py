"""Assertions.

TensorFlow asserts floats in a branch of its own, `AssertGuard`: the operation is what it gives.
"""

SAME = """
tf.debugging.Assert(flags[0], [n])
tf.debugging.Assert(flags[0], [n], name="a")
tf.debugging.assert_equal(n, n)
tf.debugging.assert_equal(n, n, name="a")
tf.debugging.assert_equal(n[0], 3)
[tf.debugging.assert_equal(n, 3) for _ in range(3)]
tf.debugging.assert_none_equal(n, 3)
tf.debugging.assert_less(n, 3, name="a")
tf.debugging.assert_less_equal(n, 3)
tf.debugging.assert_greater(n, 3)
tf.debugging.assert_greater_equal(n, 3)
tf.debugging.assert_positive(n)
tf.debugging.assert_non_negative(n, name="a")
[tf.debugging.assert_negative(n) for _ in range(2)]
tf.debugging.assert_non_positive(n)
tf.debugging.check_numerics(x, "m")
tf.debugging.check_numerics(x, "m", name="a")
tf.debugging.assert_rank(x, 2)
tf.debugging.assert_rank(x, 2, name="a")
tf.debugging.assert_rank(x, n[0])
tf.debugging.assert_rank(x, n[0], name="a")
tf.debugging.assert_rank(tf.compat.v1.placeholder("float32"), 2)
tf.debugging.assert_rank_at_least(x, 1)
tf.debugging.assert_rank_at_least(x, n[0], name="a")
tf.debugging.assert_rank_in(x, [1, 2])
tf.debugging.assert_rank_in(x, [n[0], n[1]])
"""

IN_SCOPE = """
tf.debugging.Assert(flags[0], [x])
tf.debugging.Assert(flags[0], [x], name="a")
[tf.debugging.assert_equal(x, y) for _ in range(2)]
tf.debugging.assert_equal(x, y, name="a")
tf.debugging.assert_none_equal(x, y, name="a")
tf.debugging.assert_less(x, y)
tf.debugging.assert_less_equal(x, y)
tf.debugging.assert_greater(x, y)
tf.debugging.assert_greater_equal(x, y, name="a")
tf.debugging.assert_near(x, y)
tf.debugging.assert_near(x, y, name="a")
tf.debugging.assert_positive(x)
tf.debugging.assert_positive(rows, name="a")
tf.debugging.assert_negative(x)
tf.debugging.assert_non_negative(x)
tf.debugging.assert_non_positive(x, name="a")
tf.debugging.assert_all_finite(x, "m")
tf.debugging.assert_all_finite(x, "m", name="a")
"""
