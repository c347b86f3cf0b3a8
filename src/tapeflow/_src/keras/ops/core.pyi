# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.ops.control_flow import associative_scan as associative_scan
from tapeflow._src.keras.ops.control_flow import cond as cond
from tapeflow._src.keras.ops.control_flow import custom_gradient as custom_gradient
from tapeflow._src.keras.ops.control_flow import fori_loop as fori_loop
from tapeflow._src.keras.ops.control_flow import map as map
from tapeflow._src.keras.ops.control_flow import scan as scan
from tapeflow._src.keras.ops.control_flow import switch as switch
from tapeflow._src.keras.ops.control_flow import vectorized_map as vectorized_map
from tapeflow._src.keras.ops.control_flow import while_loop as while_loop
from tapeflow._src.keras.ops.conversion import cast as cast
from tapeflow._src.keras.ops.conversion import convert_to_numpy as convert_to_numpy
from tapeflow._src.keras.ops.conversion import convert_to_tensor as convert_to_tensor
from tapeflow._src.keras.ops.conversion import dtype as dtype
from tapeflow._src.keras.ops.conversion import is_tensor as is_tensor
from tapeflow._src.keras.ops.conversion import saturate_cast as saturate_cast
from tapeflow._src.keras.ops.conversion import scatter as scatter
from tapeflow._src.keras.ops.conversion import scatter_update as scatter_update
from tapeflow._src.keras.ops.conversion import shape as shape
from tapeflow._src.keras.ops.conversion import slice as slice
from tapeflow._src.keras.ops.conversion import slice_update as slice_update
from tapeflow._src.keras.ops.conversion import stop_gradient as stop_gradient
from tapeflow._src.keras.ops.conversion import unstack as unstack
from tapeflow._src.keras.ops.families import family as family
