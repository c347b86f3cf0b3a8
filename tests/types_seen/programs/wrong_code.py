import tapeflow as tf

x = tf.constant([1.0])
x.nunpy()  # error
tf.keras.layers.Dense("8")  # error
tf.reduce_meen(x)  # error
tf.keras.Sequential([]).fitt(x)  # error
tf.keras.layers.Dense(8, unitz=3)
tf.data.Dataset.range(3).bach(2)  # error
tf.Variable(1.0).asign(2.0)  # error
