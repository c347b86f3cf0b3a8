"""TensorFlow's files, without TensorFlow: checkpoints and SavedModels.

From the bottom: `sorted_table` (keys and values), `bundle` (tensors in tables), `object_graph` (how
objects are matched again), `checkpoint` and `manager`, and the SavedModel on top of these.
"""
