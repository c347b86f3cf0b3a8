import tapeflow as tf

image = tf.io.decode_png(tf.io.read_file("image.png"), channels=3)
small = tf.image.resize(image, [32, 32])
reveal_type(small)  # Tensor
flipped = tf.image.flip_left_right(small)
reveal_type(tf.cast(flipped, tf.uint8))  # Tensor
