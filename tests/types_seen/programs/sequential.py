import numpy as np

import tapeflow as tf

model = tf.keras.Sequential(
    [
        tf.keras.Input((4,)),
        tf.keras.layers.Dense(8, activation="relu"),
        tf.keras.layers.Dropout(0.5),
        tf.keras.layers.Dense(1),
    ]
)
reveal_type(model)  # Sequential
model.compile(optimizer="adam", loss="mse", metrics=["mae"])
history = model.fit(np.ones((8, 4)), np.ones((8, 1)), epochs=2, verbose=0)
reveal_type(history)  # History
model.summary()
print(history.history["loss"], model.predict(np.ones((2, 4))))
