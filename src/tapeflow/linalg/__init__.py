"""The public namespace `tf.linalg`."""

from tapeflow.arrays.creation import eye as eye
from tapeflow.core.lazy import later as _later
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

# What is loaded when it is used
__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "experimental": "tapeflow.linalg.experimental",
        "LinearOperatorAdjoint": "tapeflow.linalg.operators.adjoint",
        "LinearOperator": "tapeflow.linalg.operators.base",
        "LinearOperatorBlockDiag": "tapeflow.linalg.operators.block_diag",
        "LinearOperatorBlockLowerTriangular": ("tapeflow.linalg.operators.block_lower_triangular"),
        "LinearOperatorCirculant": "tapeflow.linalg.operators.circulant",
        "LinearOperatorCirculant2D": "tapeflow.linalg.operators.circulant",
        "LinearOperatorCirculant3D": "tapeflow.linalg.operators.circulant",
        "LinearOperatorComposition": "tapeflow.linalg.operators.composition",
        "LinearOperatorDiag": "tapeflow.linalg.operators.diag",
        "LinearOperatorFullMatrix": "tapeflow.linalg.operators.full_matrix",
        "LinearOperatorHouseholder": "tapeflow.linalg.operators.householder",
        "LinearOperatorIdentity": "tapeflow.linalg.operators.identity",
        "LinearOperatorInversion": "tapeflow.linalg.operators.inversion",
        "LinearOperatorKronecker": "tapeflow.linalg.operators.kronecker",
        "LinearOperatorLowRankUpdate": "tapeflow.linalg.operators.low_rank_update",
        "LinearOperatorLowerTriangular": "tapeflow.linalg.operators.lower_triangular",
        "LinearOperatorPermutation": "tapeflow.linalg.operators.permutation",
        "LinearOperatorScaledIdentity": "tapeflow.linalg.operators.scaled_identity",
        "LinearOperatorToeplitz": "tapeflow.linalg.operators.toeplitz",
        "LinearOperatorTridiag": "tapeflow.linalg.operators.tridiag",
        "LinearOperatorZeros": "tapeflow.linalg.operators.zeros",
    },
)
