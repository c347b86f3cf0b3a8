import tapeflow as tf

model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.save("model.keras")
model.save_weights("model.weights.h5")
model.load_weights("model.weights.h5")
loaded = tf.keras.models.load_model("model.keras")
print(loaded.predict([[1.0, 2.0]]), model.to_json(), model.get_config())
