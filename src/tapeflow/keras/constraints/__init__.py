"""The public namespace `tf.keras.constraints`."""

from tapeflow._src.keras.constraints.constraints import Constraint as Constraint
from tapeflow._src.keras.constraints.constraints import MaxNorm as MaxNorm
from tapeflow._src.keras.constraints.constraints import MinMaxNorm as MinMaxNorm
from tapeflow._src.keras.constraints.constraints import NonNeg as NonNeg
from tapeflow._src.keras.constraints.constraints import RadialConstraint as RadialConstraint
from tapeflow._src.keras.constraints.constraints import UnitNorm as UnitNorm
from tapeflow._src.keras.constraints.lookup import deserialize as deserialize
from tapeflow._src.keras.constraints.lookup import get as get
from tapeflow._src.keras.constraints.lookup import serialize as serialize

max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm
radial_constraint = RadialConstraint
