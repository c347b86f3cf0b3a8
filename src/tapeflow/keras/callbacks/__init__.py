"""The public namespace `tf.keras.callbacks`."""

from __future__ import annotations

from tapeflow.keras.callbacks import experimental as experimental
from tapeflow.keras.callbacks.backup_and_restore import BackupAndRestore as BackupAndRestore
from tapeflow.keras.callbacks.base_logger import BaseLogger as BaseLogger
from tapeflow.keras.callbacks.callback import Callback as Callback
from tapeflow.keras.callbacks.callback_list import CallbackList as CallbackList
from tapeflow.keras.callbacks.csv_logger import CSVLogger as CSVLogger
from tapeflow.keras.callbacks.early_stopping import EarlyStopping as EarlyStopping
from tapeflow.keras.callbacks.history import History as History
from tapeflow.keras.callbacks.lambda_callback import LambdaCallback as LambdaCallback
from tapeflow.keras.callbacks.learning_rates import LearningRateScheduler as LearningRateScheduler
from tapeflow.keras.callbacks.learning_rates import ReduceLROnPlateau as ReduceLROnPlateau
from tapeflow.keras.callbacks.model_checkpoint import ModelCheckpoint as ModelCheckpoint
from tapeflow.keras.callbacks.orbax_checkpoint import OrbaxCheckpoint as OrbaxCheckpoint
from tapeflow.keras.callbacks.progbar_logger import ProgbarLogger as ProgbarLogger
from tapeflow.keras.callbacks.remote_monitor import RemoteMonitor as RemoteMonitor
from tapeflow.keras.callbacks.sidecar_evaluator_model_export import (
    SidecarEvaluatorModelExport as SidecarEvaluatorModelExport,
)
from tapeflow.keras.callbacks.swap_ema_weights import SwapEMAWeights as SwapEMAWeights
from tapeflow.keras.callbacks.tensorboard import TensorBoard as TensorBoard
from tapeflow.keras.callbacks.terminate_on_nan import TerminateOnNaN as TerminateOnNaN
