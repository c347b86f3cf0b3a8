# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.ops.families import family as family
from tapeflow._src.keras.ops.matrices import cholesky as cholesky
from tapeflow._src.keras.ops.matrices import cholesky_inverse as cholesky_inverse
from tapeflow._src.keras.ops.matrices import det as det
from tapeflow._src.keras.ops.matrices import eig as eig
from tapeflow._src.keras.ops.matrices import eigh as eigh
from tapeflow._src.keras.ops.matrices import inv as inv
from tapeflow._src.keras.ops.matrices import jvp as jvp
from tapeflow._src.keras.ops.matrices import lstsq as lstsq
from tapeflow._src.keras.ops.matrices import lu_factor as lu_factor
from tapeflow._src.keras.ops.matrices import matrix_rank as matrix_rank
from tapeflow._src.keras.ops.matrices import norm as norm
from tapeflow._src.keras.ops.matrices import pinv as pinv
from tapeflow._src.keras.ops.matrices import qr as qr
from tapeflow._src.keras.ops.matrices import solve as solve
from tapeflow._src.keras.ops.matrices import solve_triangular as solve_triangular
from tapeflow._src.keras.ops.matrices import svd as svd
