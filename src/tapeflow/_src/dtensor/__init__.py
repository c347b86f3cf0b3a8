"""`tf.experimental.dtensor`: tensors and variables on meshes of devices."""
