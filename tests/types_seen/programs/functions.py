import tapeflow as tf


@tf.function
def double(x: tf.Tensor) -> tf.Tensor:
    return x * 2


@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None], tf.float32)])
def total(x):
    result = 0.0
    for value in x:
        result += value
    return result


reveal_type(double(tf.constant(1.0)))  # Tensor
print(double.get_concrete_function(tf.constant(1.0)), total(tf.ones([3])))
