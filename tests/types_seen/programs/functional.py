import tapeflow as tf
from tapeflow import keras
from tapeflow.keras import layers

inputs = keras.Input(shape=(28, 28, 1))
reveal_type(inputs)  # KerasTensor
x = layers.Conv2D(8, 3, padding="same", activation="relu")(inputs)
x = layers.MaxPooling2D()(x)
outputs = layers.Dense(10, activation="softmax")(layers.Flatten()(x))
model = keras.Model(inputs, outputs, name="digits")
reveal_type(model)  # Model
reveal_type(layers.Conv2D(8, 3))  # Conv2D
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=1e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=[keras.metrics.SparseCategoricalAccuracy()],
)
reveal_type(tf.keras.optimizers.Adam())  # Adam
