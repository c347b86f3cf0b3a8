# Made by `make stubs` from the table in the module of the same name.

from tapeflow.arrays.creation import eye as eye
from tapeflow.linalg import experimental as experimental
from tapeflow.linalg.diagonals import band_part as band_part
from tapeflow.linalg.diagonals import diag as diag
from tapeflow.linalg.diagonals import diag_part as diag_part
from tapeflow.linalg.diagonals import set_diag as set_diag
from tapeflow.linalg.diagonals import tensor_diag as tensor_diag
from tapeflow.linalg.diagonals import tensor_diag_part as tensor_diag_part
from tapeflow.linalg.diagonals import trace as trace
from tapeflow.linalg.einsum import einsum as einsum
from tapeflow.linalg.factors import cholesky as cholesky
from tapeflow.linalg.factors import eig as eig
from tapeflow.linalg.factors import eigh as eigh
from tapeflow.linalg.factors import eigh_tridiagonal as eigh_tridiagonal
from tapeflow.linalg.factors import eigvals as eigvals
from tapeflow.linalg.factors import eigvalsh as eigvalsh
from tapeflow.linalg.factors import qr as qr
from tapeflow.linalg.factors import svd as svd
from tapeflow.linalg.functions import expm as expm
from tapeflow.linalg.functions import logm as logm
from tapeflow.linalg.functions import sqrtm as sqrtm
from tapeflow.linalg.lu import lu as lu
from tapeflow.linalg.lu import lu_matrix_inverse as lu_matrix_inverse
from tapeflow.linalg.lu import lu_reconstruct as lu_reconstruct
from tapeflow.linalg.lu import lu_solve as lu_solve
from tapeflow.linalg.norms import norm as norm
from tapeflow.linalg.norms import normalize as normalize
from tapeflow.linalg.operators.adjoint import LinearOperatorAdjoint as LinearOperatorAdjoint
from tapeflow.linalg.operators.base import LinearOperator as LinearOperator
from tapeflow.linalg.operators.block_diag import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from tapeflow.linalg.operators.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from tapeflow.linalg.operators.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from tapeflow.linalg.operators.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from tapeflow.linalg.operators.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from tapeflow.linalg.operators.composition import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from tapeflow.linalg.operators.diag import LinearOperatorDiag as LinearOperatorDiag
from tapeflow.linalg.operators.full_matrix import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from tapeflow.linalg.operators.householder import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from tapeflow.linalg.operators.identity import LinearOperatorIdentity as LinearOperatorIdentity
from tapeflow.linalg.operators.inversion import LinearOperatorInversion as LinearOperatorInversion
from tapeflow.linalg.operators.kronecker import LinearOperatorKronecker as LinearOperatorKronecker
from tapeflow.linalg.operators.low_rank_update import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from tapeflow.linalg.operators.lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from tapeflow.linalg.operators.permutation import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from tapeflow.linalg.operators.scaled_identity import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from tapeflow.linalg.operators.toeplitz import LinearOperatorToeplitz as LinearOperatorToeplitz
from tapeflow.linalg.operators.tridiag import LinearOperatorTridiag as LinearOperatorTridiag
from tapeflow.linalg.operators.zeros import LinearOperatorZeros as LinearOperatorZeros
from tapeflow.linalg.products import adjoint as adjoint
from tapeflow.linalg.products import cross as cross
from tapeflow.linalg.products import matmul as matmul
from tapeflow.linalg.products import matrix_transpose as matrix_transpose
from tapeflow.linalg.products import matvec as matvec
from tapeflow.linalg.products import tensordot as tensordot
from tapeflow.linalg.solvers import banded_triangular_solve as banded_triangular_solve
from tapeflow.linalg.solvers import cholesky_solve as cholesky_solve
from tapeflow.linalg.solvers import det as det
from tapeflow.linalg.solvers import inv as inv
from tapeflow.linalg.solvers import logdet as logdet
from tapeflow.linalg.solvers import lstsq as lstsq
from tapeflow.linalg.solvers import matrix_rank as matrix_rank
from tapeflow.linalg.solvers import pinv as pinv
from tapeflow.linalg.solvers import slogdet as slogdet
from tapeflow.linalg.solvers import solve as solve
from tapeflow.linalg.solvers import triangular_solve as triangular_solve
from tapeflow.linalg.solvers import tridiagonal_matmul as tridiagonal_matmul
from tapeflow.linalg.solvers import tridiagonal_solve as tridiagonal_solve
from tapeflow.math.clipping import global_norm as global_norm
from tapeflow.nn.normalization import l2_normalize as l2_normalize
