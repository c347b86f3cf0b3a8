"""The public namespace `tf.keras.callbacks.experimental`, as Keras 2 had it."""

from tapeflow._src.keras.callbacks.backup_and_restore import BackupAndRestore as BackupAndRestore
from tapeflow._src.keras.callbacks.update_embedding import (
    UpdateEmbeddingCallback as UpdateEmbeddingCallback,
)
