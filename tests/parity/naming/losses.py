"""Cross entropies, sampled losses and connectionist temporal classification.

Of a matrix of logits, TensorFlow reshapes what its op for the cross entropy gives; ours is the op.
"""

SAME = """
tf.nn.l2_loss(x, name="half")
tf.nn.sigmoid_cross_entropy_with_logits(x, y, name="loss")
tf.nn.sigmoid_cross_entropy_with_logits(tf.nn.sigmoid_cross_entropy_with_logits(x, y), y)
tf.nn.weighted_cross_entropy_with_logits(x, y, 2.0)
tf.nn.weighted_cross_entropy_with_logits(x, y, 2.0, name="loss")
tf.nn.log_poisson_loss(x, y)
tf.nn.log_poisson_loss(x, y, name="loss")
tf.nn.log_poisson_loss(x, y, compute_full_loss=True)
tf.nn.softmax_cross_entropy_with_logits(images, images)
tf.nn.softmax_cross_entropy_with_logits(images, images, name="loss")
[tf.nn.softmax_cross_entropy_with_logits(images, images) for _ in range(2)]
tf.nn.softmax_cross_entropy_with_logits(x, y, name="loss").graph.get_tensor_by_name("loss:0")
tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x, name="loss")
tf.nn.sparse_softmax_cross_entropy_with_logits(labels, rows)
tf.nn.sparse_softmax_cross_entropy_with_logits(labels[None], x[None], name="loss")
[tf.nn.sparse_softmax_cross_entropy_with_logits(labels[None], x[None]) for _ in range(2)]
tf.nn.compute_average_loss(v, sample_weight=v)
tf.nn.compute_average_loss(v, global_batch_size=4)
tf.nn.zero_fraction(x)
tf.nn.zero_fraction(rows, name="none")
tf.nn.ctc_greedy_decoder(tf.transpose(images[..., 0], [1, 0, 2]), [8, 8])
tf.nn.ctc_beam_search_decoder(tf.transpose(images[..., 0], [1, 0, 2]), [8, 8])
"""

IN_SCOPE = """
tf.nn.scale_regularization_loss(v)
tf.nn.nce_loss(square, v[:3], tf.ones([2, 1], tf.int64), x, 2, 3)
tf.nn.nce_loss(square, v[:3], tf.ones([2, 1], tf.int64), x, 2, 3, name="loss")
tf.nn.ctc_loss(tf.ones([2, 2], tf.int32), images[..., 0], [2, 2], [8, 8], False)
tf.nn.ctc_loss(tf.ones([2, 2], tf.int32), images[..., 0], [2, 2], [8, 8], False, name="loss")
tf.nn.collapse_repeated(tf.ones([2, 2], tf.int32), [2, 2])
tf.nn.collapse_repeated(tf.ones([2, 2], tf.int32), [2, 2], name="shorter")
"""
