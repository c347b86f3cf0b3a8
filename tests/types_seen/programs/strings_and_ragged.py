import tapeflow as tf

words = tf.strings.split(["a b", "c"])
print(tf.strings.lower(["A"]), tf.strings.length("abc"), words)
ragged = tf.ragged.constant([[1, 2], [3]])
reveal_type(tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3]))  # RaggedTensor
reveal_type(tf.strings.length("abc"))  # Tensor
print(ragged)
