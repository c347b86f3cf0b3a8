import tapeflow as tf

dataset = tf.data.Dataset.from_tensor_slices(tf.range(10))
reveal_type(dataset)  # Dataset
reveal_type(dataset.shuffle(10).map(lambda x: x + 1).batch(4).prefetch(tf.data.AUTOTUNE))  # Dataset
for batch in dataset.batch(2).take(1):
    print(batch)
print(list(dataset.as_numpy_iterator()), dataset.cardinality(), dataset.element_spec)
