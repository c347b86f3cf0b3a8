"""Moving averages and cluster descriptions of `tf.train`."""
