"""The penalties of weights, their configs, and what is refused."""

from __future__ import annotations

MADE = (
    "L1(0.1)",
    "L1()",
    "L2(0.1)",
    "L2()",
    "L1L2(0.1, 0.2)",
    "L1L2(l2=0.2)",
    "L1L2()",
    "OrthogonalRegularizer(0.1)",
    "OrthogonalRegularizer(0.1, 'columns')",
)
VALUE = """
regularizer = k.regularizers.{made}
x = tf.Variable([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]])
with tf.GradientTape() as tape:
    penalty = regularizer(x)
result = [penalty, tape.gradient(penalty, x), regularizer.get_config()]
"""

PROGRAMS = {
    **{made: VALUE.format(made=made) for made in MADE},
    "half precision": "k.regularizers.L1L2(0.5, 0.5)(tf.ones([2], tf.float16))",
    "by name": "[k.regularizers.get(n).get_config() for n in ('l1', 'L2', 'l1l2', 'L1L2')]",
    "by config": ("k.regularizers.get({'class_name': 'L2', 'config': {'l2': 0.25}}).get_config()"),
    "none": "k.regularizers.get(None)",
    "the base": "k.regularizers.Regularizer()(tf.ones([2]))",
    "unknown": "k.regularizers.get('foo')",
    "no regularizer": "k.regularizers.get(3)",
    "negative": "k.regularizers.L1(-1.0)",
    "text": "k.regularizers.L1('a')",
    "no number": "k.regularizers.L2(np.nan)",
    "another mode": "k.regularizers.OrthogonalRegularizer(mode='x')",
    "no matrix": "k.regularizers.OrthogonalRegularizer()(tf.ones([2, 2, 2]))",
    "no config": "k.regularizers.Regularizer().get_config()",
    "serialized": "k.regularizers.serialize(k.regularizers.L2(0.25))",
}
