import tapeflow as tf

loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
reveal_type(loss)  # BinaryCrossentropy
mean = tf.keras.metrics.Mean(name="loss")
reveal_type(mean)  # Mean
mean.update_state(loss(tf.ones([2, 1]), tf.zeros([2, 1])))
print(float(mean.result()))
mean.reset_state()
