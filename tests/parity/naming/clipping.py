"""Clipping values and norms."""

SAME = """
tf.clip_by_value(x, 0.0, 1.0)
tf.clip_by_value(x, 0.0, 1.0, name="bounded")
tf.clip_by_value(tf.clip_by_value(x, 0.0, 1.0), 0.0, 1.0)
tf.clip_by_norm(x, 1.0)
tf.linalg.global_norm([x, v])
tf.linalg.global_norm([x, v], name="length")
tf.clip_by_global_norm([x, None, v], 1.0)
tf.clip_by_global_norm([x, v], 1.0, name="bounded")
tf.clip_by_global_norm([x, v], 1.0, use_norm=v[0])
[tf.clip_by_global_norm([x, v], 1.0), tf.clip_by_global_norm([x, v], 1.0)]
"""

IN_SCOPE = """
"""
