"""Private modules of TensorFlow that are more than aliases: each file serves one of them."""
