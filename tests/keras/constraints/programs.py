"""Weights under constraints, their configs, and what is refused."""

from __future__ import annotations

MADE = (
    "MaxNorm(1.0)",
    "MaxNorm(1.0, axis=1)",
    "MaxNorm()",
    "MinMaxNorm(0.5, 1.0)",
    "MinMaxNorm(0.5, 1.0, 0.3, 1)",
    "MinMaxNorm(6.0, 7.0)",
    "NonNeg()",
    "UnitNorm()",
    "UnitNorm(axis=[0, 1])",
)
VALUE = """
constraint = k.constraints.{made}
x = [[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]]
result = [constraint(tf.constant(x)), constraint(np.array(x)), constraint(tf.zeros([2, 2]))]
result += [constraint.get_config(), k.constraints.serialize(constraint)]
"""

PROGRAMS = {
    **{made: VALUE.format(made=made) for made in MADE},
    "by name": "[k.constraints.get(n).get_config() for n in ('max_norm', 'MinMaxNorm', 'non_neg')]",
    "by config": "k.constraints.get({'class_name': 'UnitNorm', 'config': {'axis': 1}}).axis",
    "none": "k.constraints.get(None)",
    "the base": "k.constraints.Constraint()(tf.ones([2]))",
    "unknown": "k.constraints.get('foo')",
    "no constraint": "k.constraints.get(3)",
}
