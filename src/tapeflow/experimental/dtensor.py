"""`tf.experimental.dtensor`: tensors and variables on meshes of devices."""

from tapeflow._src.core.device_mesh import Mesh as Mesh
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.core.tensor_layout import MATCH as MATCH
from tapeflow._src.core.tensor_layout import UNSHARDED as UNSHARDED
from tapeflow._src.core.tensor_layout import Layout as Layout
from tapeflow._src.dtensor.checkpoints import DTensorCheckpoint as DTensorCheckpoint
from tapeflow._src.dtensor.checkpoints import name_based_restore as name_based_restore
from tapeflow._src.dtensor.checkpoints import name_based_save as name_based_save
from tapeflow._src.dtensor.checkpoints import sharded_save as sharded_save
from tapeflow._src.dtensor.dataset import DTensorDataset as DTensorDataset
from tapeflow._src.dtensor.layouts import call_with_layout as call_with_layout
from tapeflow._src.dtensor.layouts import check_layout as check_layout
from tapeflow._src.dtensor.layouts import copy_to_mesh as copy_to_mesh
from tapeflow._src.dtensor.layouts import default_mesh as default_mesh
from tapeflow._src.dtensor.layouts import device_name as device_name
from tapeflow._src.dtensor.layouts import enable_save_as_bf16 as enable_save_as_bf16
from tapeflow._src.dtensor.layouts import fetch_layout as fetch_layout
from tapeflow._src.dtensor.layouts import get_default_mesh as get_default_mesh
from tapeflow._src.dtensor.layouts import is_dtensor as is_dtensor
from tapeflow._src.dtensor.layouts import pack as pack
from tapeflow._src.dtensor.layouts import relayout as relayout
from tapeflow._src.dtensor.layouts import relayout_like as relayout_like
from tapeflow._src.dtensor.layouts import run_on as run_on
from tapeflow._src.dtensor.layouts import unpack as unpack
from tapeflow._src.dtensor.meshes import create_distributed_mesh as create_distributed_mesh
from tapeflow._src.dtensor.meshes import create_mesh as create_mesh
from tapeflow._src.dtensor.meshes import create_tpu_mesh as create_tpu_mesh
from tapeflow._src.dtensor.system import barrier as barrier
from tapeflow._src.dtensor.system import client_id as client_id
from tapeflow._src.dtensor.system import full_job_name as full_job_name
from tapeflow._src.dtensor.system import heartbeat_enabled as heartbeat_enabled
from tapeflow._src.dtensor.system import (
    initialize_accelerator_system as initialize_accelerator_system,
)
from tapeflow._src.dtensor.system import initialize_multi_client as initialize_multi_client
from tapeflow._src.dtensor.system import initialize_tpu_system as initialize_tpu_system
from tapeflow._src.dtensor.system import job_name as job_name
from tapeflow._src.dtensor.system import jobs as jobs
from tapeflow._src.dtensor.system import local_devices as local_devices
from tapeflow._src.dtensor.system import num_clients as num_clients
from tapeflow._src.dtensor.system import num_global_devices as num_global_devices
from tapeflow._src.dtensor.system import num_local_devices as num_local_devices
from tapeflow._src.dtensor.system import preferred_device_type as preferred_device_type
from tapeflow._src.dtensor.system import shutdown_accelerator_system as shutdown_accelerator_system
from tapeflow._src.dtensor.system import shutdown_tpu_system as shutdown_tpu_system
from tapeflow._src.dtensor.variable import DVariable as DVariable

_explain_missing(__name__)
