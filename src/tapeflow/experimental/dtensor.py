"""`tf.experimental.dtensor`: names that libraries look at; tensors on meshes are not available."""

from tapeflow._src.api.experimental.dtensor import MATCH as MATCH
from tapeflow._src.api.experimental.dtensor import UNSHARDED as UNSHARDED
from tapeflow._src.api.experimental.dtensor import DTensorDataset as DTensorDataset
from tapeflow._src.api.experimental.dtensor import DVariable as DVariable
from tapeflow._src.api.experimental.dtensor import Layout as Layout
from tapeflow._src.api.experimental.dtensor import Mesh as Mesh
from tapeflow._src.api.experimental.dtensor import copy_to_mesh as copy_to_mesh
from tapeflow._src.api.experimental.dtensor import (
    create_distributed_mesh as create_distributed_mesh,
)
from tapeflow._src.api.experimental.dtensor import create_mesh as create_mesh
from tapeflow._src.api.experimental.dtensor import is_dtensor as is_dtensor
from tapeflow._src.api.experimental.dtensor import run_on as run_on
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
