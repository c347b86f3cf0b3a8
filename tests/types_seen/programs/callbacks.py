import tapeflow as tf


class Report(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, logs)


stop = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=3)
reveal_type(stop)  # EarlyStopping
keep = tf.keras.callbacks.ModelCheckpoint("best.keras", save_best_only=True)
print([Report(), stop, keep])
