"""The public namespace `tf.keras.callbacks`."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.callbacks.backup_and_restore import BackupAndRestore as BackupAndRestore
from tapeflow._src.keras.callbacks.base_logger import BaseLogger as BaseLogger
from tapeflow._src.keras.callbacks.callback import Callback as Callback
from tapeflow._src.keras.callbacks.callback_list import CallbackList as CallbackList
from tapeflow._src.keras.callbacks.csv_logger import CSVLogger as CSVLogger
from tapeflow._src.keras.callbacks.early_stopping import EarlyStopping as EarlyStopping
from tapeflow._src.keras.callbacks.history import History as History
from tapeflow._src.keras.callbacks.lambda_callback import LambdaCallback as LambdaCallback
from tapeflow._src.keras.callbacks.learning_rates import (
    LearningRateScheduler as LearningRateScheduler,
)
from tapeflow._src.keras.callbacks.learning_rates import ReduceLROnPlateau as ReduceLROnPlateau
from tapeflow._src.keras.callbacks.model_checkpoint import ModelCheckpoint as ModelCheckpoint
from tapeflow._src.keras.callbacks.orbax_checkpoint import OrbaxCheckpoint as OrbaxCheckpoint
from tapeflow._src.keras.callbacks.progbar_logger import ProgbarLogger as ProgbarLogger
from tapeflow._src.keras.callbacks.remote_monitor import RemoteMonitor as RemoteMonitor
from tapeflow._src.keras.callbacks.sidecar_evaluator_model_export import (
    SidecarEvaluatorModelExport as SidecarEvaluatorModelExport,
)
from tapeflow._src.keras.callbacks.swap_ema_weights import SwapEMAWeights as SwapEMAWeights
from tapeflow._src.keras.callbacks.tensorboard import TensorBoard as TensorBoard
from tapeflow._src.keras.callbacks.terminate_on_nan import TerminateOnNaN as TerminateOnNaN
from tapeflow.keras.callbacks import experimental as experimental

_explain_missing(__name__)
