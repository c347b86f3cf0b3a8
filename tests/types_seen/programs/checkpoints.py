import tapeflow as tf

step = tf.Variable(1)
checkpoint = tf.train.Checkpoint(step=step)
reveal_type(checkpoint)  # Checkpoint
manager = tf.train.CheckpointManager(checkpoint, "folder", max_to_keep=3)
reveal_type(manager)  # CheckpointManager
path = checkpoint.save("folder/prefix")
reveal_type(path)  # str
checkpoint.restore(path).expect_partial()
