"""Functions that stand directly in `tf`: making tensors and moving their elements."""

from tapeflow.arrays.conversion import constant as constant
from tapeflow.arrays.conversion import convert_to_tensor as convert_to_tensor
