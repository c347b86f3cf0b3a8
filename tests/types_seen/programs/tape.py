import tapeflow as tf

w = tf.Variable(tf.random.normal([2, 1]))
b = tf.Variable(tf.zeros([1]))
x = tf.ones([4, 2])
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_mean(tf.square(x @ w + b))
reveal_type(tape)  # GradientTape
reveal_type(tape.gradient(loss, w))  # Tensor
for variable, gradient in zip([w, b], tape.gradient(loss, [w, b])):
    variable.assign_sub(0.1 * gradient)
