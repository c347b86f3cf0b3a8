# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.ops.families import family as family
from tapeflow._src.keras.ops.rearranging import rearrange as rearrange
