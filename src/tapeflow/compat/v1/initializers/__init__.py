"""`tf.compat.v1.initializers`: what variables start with."""

from __future__ import annotations

from tapeflow._src.compat.v1 import variables as _variables
from tapeflow._src.compat.v1.initializers import classes as _classes
from tapeflow._src.compat.v1.initializers.classes import he_normal as he_normal
from tapeflow._src.compat.v1.initializers.classes import he_uniform as he_uniform
from tapeflow._src.compat.v1.initializers.classes import lecun_normal as lecun_normal
from tapeflow._src.compat.v1.initializers.classes import lecun_uniform as lecun_uniform
from tapeflow._src.core.lazy import explain_missing as _explain_missing

constant = _classes.constant_initializer
glorot_normal = _classes.glorot_normal_initializer
glorot_uniform = _classes.glorot_uniform_initializer
identity = _classes.identity_initializer
ones = _classes.ones_initializer
orthogonal = _classes.orthogonal_initializer
random_normal = _classes.random_normal_initializer
random_uniform = _classes.random_uniform_initializer
truncated_normal = _classes.truncated_normal_initializer
uniform_unit_scaling = _classes.uniform_unit_scaling_initializer
variance_scaling = _classes.variance_scaling_initializer
zeros = _classes.zeros_initializer
global_variables = _variables.global_variables_initializer
local_variables = _variables.local_variables_initializer
variables = _variables.variables_initializer

_explain_missing(__name__)
