"""What libraries ask of variables and of weights."""

from tapeflow._src.internal.ops import broadcast_weights as broadcast_weights
from tapeflow._src.internal.ops import is_resource_variable as is_resource_variable
