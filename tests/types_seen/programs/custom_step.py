import tapeflow as tf


class Trained(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


inputs = tf.keras.Input((3,))
model = Trained(inputs, tf.keras.layers.Dense(1)(inputs))
reveal_type(model)  # Trained
model.compile("sgd", "mse")
