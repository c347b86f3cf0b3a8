"""`tf.compat.v1.linalg`: linear algebra, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from tapeflow import linalg as _linalg
from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.legacy import norm as norm
from tapeflow._src.compat.v1.reordered import reordered as _reordered

diag = _reordered(_linalg.diag, "diagonal name k num_rows num_cols padding_value align")
diag_part = _reordered(_linalg.diag_part, "input name k padding_value align")
matmul = _linalg.matmul
matrix_transpose = transpose = _linalg.matrix_transpose
tensor_diag_part = _linalg.tensor_diag_part
trace = _linalg.trace

__getattr__, __dir__ = _aliases(__name__, globals(), {"experimental": "tapeflow.linalg"})
