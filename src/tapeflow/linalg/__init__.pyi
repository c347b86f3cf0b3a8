# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.api.arrays.creation import eye as eye
from tapeflow._src.api.linalg.diagonals import band_part as band_part
from tapeflow._src.api.linalg.diagonals import diag as diag
from tapeflow._src.api.linalg.diagonals import diag_part as diag_part
from tapeflow._src.api.linalg.diagonals import set_diag as set_diag
from tapeflow._src.api.linalg.diagonals import tensor_diag as tensor_diag
from tapeflow._src.api.linalg.diagonals import tensor_diag_part as tensor_diag_part
from tapeflow._src.api.linalg.diagonals import trace as trace
from tapeflow._src.api.linalg.einsum import einsum as einsum
from tapeflow._src.api.linalg.factors import cholesky as cholesky
from tapeflow._src.api.linalg.factors import eig as eig
from tapeflow._src.api.linalg.factors import eigh as eigh
from tapeflow._src.api.linalg.factors import eigh_tridiagonal as eigh_tridiagonal
from tapeflow._src.api.linalg.factors import eigvals as eigvals
from tapeflow._src.api.linalg.factors import eigvalsh as eigvalsh
from tapeflow._src.api.linalg.factors import qr as qr
from tapeflow._src.api.linalg.factors import svd as svd
from tapeflow._src.api.linalg.functions import expm as expm
from tapeflow._src.api.linalg.functions import logm as logm
from tapeflow._src.api.linalg.functions import sqrtm as sqrtm
from tapeflow._src.api.linalg.lu import lu as lu
from tapeflow._src.api.linalg.lu import lu_matrix_inverse as lu_matrix_inverse
from tapeflow._src.api.linalg.lu import lu_reconstruct as lu_reconstruct
from tapeflow._src.api.linalg.lu import lu_solve as lu_solve
from tapeflow._src.api.linalg.norms import norm as norm
from tapeflow._src.api.linalg.norms import normalize as normalize
from tapeflow._src.api.linalg.operators.adjoint import (
    LinearOperatorAdjoint as LinearOperatorAdjoint,
)
from tapeflow._src.api.linalg.operators.base import LinearOperator as LinearOperator
from tapeflow._src.api.linalg.operators.block_diag import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from tapeflow._src.api.linalg.operators.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from tapeflow._src.api.linalg.operators.circulant import (
    LinearOperatorCirculant as LinearOperatorCirculant,
)
from tapeflow._src.api.linalg.operators.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from tapeflow._src.api.linalg.operators.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from tapeflow._src.api.linalg.operators.composition import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from tapeflow._src.api.linalg.operators.diag import LinearOperatorDiag as LinearOperatorDiag
from tapeflow._src.api.linalg.operators.full_matrix import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from tapeflow._src.api.linalg.operators.householder import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from tapeflow._src.api.linalg.operators.identity import (
    LinearOperatorIdentity as LinearOperatorIdentity,
)
from tapeflow._src.api.linalg.operators.inversion import (
    LinearOperatorInversion as LinearOperatorInversion,
)
from tapeflow._src.api.linalg.operators.kronecker import (
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from tapeflow._src.api.linalg.operators.low_rank_update import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from tapeflow._src.api.linalg.operators.lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from tapeflow._src.api.linalg.operators.permutation import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from tapeflow._src.api.linalg.operators.scaled_identity import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from tapeflow._src.api.linalg.operators.toeplitz import (
    LinearOperatorToeplitz as LinearOperatorToeplitz,
)
from tapeflow._src.api.linalg.operators.tridiag import (
    LinearOperatorTridiag as LinearOperatorTridiag,
)
from tapeflow._src.api.linalg.operators.zeros import LinearOperatorZeros as LinearOperatorZeros
from tapeflow._src.api.linalg.products import adjoint as adjoint
from tapeflow._src.api.linalg.products import cross as cross
from tapeflow._src.api.linalg.products import matmul as matmul
from tapeflow._src.api.linalg.products import matrix_transpose as matrix_transpose
from tapeflow._src.api.linalg.products import matvec as matvec
from tapeflow._src.api.linalg.products import tensordot as tensordot
from tapeflow._src.api.linalg.solvers import banded_triangular_solve as banded_triangular_solve
from tapeflow._src.api.linalg.solvers import cholesky_solve as cholesky_solve
from tapeflow._src.api.linalg.solvers import det as det
from tapeflow._src.api.linalg.solvers import inv as inv
from tapeflow._src.api.linalg.solvers import logdet as logdet
from tapeflow._src.api.linalg.solvers import lstsq as lstsq
from tapeflow._src.api.linalg.solvers import matrix_rank as matrix_rank
from tapeflow._src.api.linalg.solvers import pinv as pinv
from tapeflow._src.api.linalg.solvers import slogdet as slogdet
from tapeflow._src.api.linalg.solvers import solve as solve
from tapeflow._src.api.linalg.solvers import triangular_solve as triangular_solve
from tapeflow._src.api.linalg.solvers import tridiagonal_matmul as tridiagonal_matmul
from tapeflow._src.api.linalg.solvers import tridiagonal_solve as tridiagonal_solve
from tapeflow._src.api.math.clipping import global_norm as global_norm
from tapeflow._src.api.nn.normalization import l2_normalize as l2_normalize
from tapeflow.linalg import experimental as experimental
