"""Calls of functions of `tf.compat.v1` whose signatures have changed since, as text.

`tests.parity.record_compat_v1_calls` records what TensorFlow returns for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
IMAGE = np.arange(48, dtype=np.float32).reshape(1, 4, 4, 3)
IDS = np.array([0, 1, 1], np.int32)
WORDS = np.array([b"a b,c", b"", b" d"])
SPARSE = "v1.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 2.0, 3.0], [2, 3])"

CALLS = [
    # arrays
    "v1.batch_gather([[1, 2], [3, 4]], [[1], [0]])",
    "v1.batch_to_space(np.ones([4, 1, 1, 1], 'f'), [[0, 0], [0, 0]], 2)",
    "v1.batch_to_space_nd(np.ones([4, 1, 1, 1], 'f'), [2, 2], [[0, 0], [0, 1]])",
    "v1.space_to_batch(IMAGE, [[0, 0], [0, 0]], block_size=2)",
    "v1.nn.space_to_batch(IMAGE, [[1, 1], [0, 0]], block_shape=2)",
    "v1.depth_to_space(np.arange(8, dtype='f').reshape(1, 1, 2, 4), 2, None, 'NHWC')",
    "v1.space_to_depth(IMAGE, 2)",
    "v1.gather_nd(X, [[1, 2], [0, 0]], None, 0)",
    "v1.reverse_sequence(X, [1, 2], seq_dim=1, batch_dim=0)",
    "v1.setdiff1d([1, 2, 3, 4], [2, 4])",
    "v1.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5, 6], -1)",
    "v1.matrix_band_part(X, 0, -1)",
    "v1.matrix_determinant([[1.0, 2.0], [3.0, 4.0]])",
    "v1.linalg.diag([1.0, 2.0], 'd', 1)",
    "v1.linalg.diag_part(X, 'd', 1)",
    "v1.convert_to_tensor_or_sparse_tensor([1, 2])",
    # numbers
    "v1.bincount([1, 1, 2], None, 5)",
    "v1.confusion_matrix([0, 1, 1], [0, 0, 1], None, 'int32', None, [1, 2, 3])",
    "v1.count_nonzero(X, 1, keep_dims=True)",
    "v1.count_nonzero(input_tensor=X, reduction_indices=[0])",
    "v1.math.in_top_k(X, [0, 2], 1)",
    "v1.nn.in_top_k(X, [2, 2], 1)",
    "v1.math.softmax(X, dim=0)",
    "v1.nn.log_softmax(X)",
    "v1.norm(X, 1, 0, keep_dims=True)",
    "v1.linalg.norm(X)",
    "v1.clip_by_average_norm(X, 0.3)",
    "v1.clip_by_average_norm(X, 30.0)",
    "v1.arg_max(X, 1)",
    "v1.arg_min(X, 0)",
    "v1.floor_div([7, -7], [2, 2])",
    "v1.to_complex64([1.0])",
    "v1.math.reduce_sum(X, reduction_indices=1, keep_dims=True)",
    "v1.random.get_seed(None)",
    # strings
    "v1.strings.split(WORDS)",
    "v1.strings.split('x y')",
    "v1.strings.split(WORDS, ',', result_type='RaggedTensor')",
    "v1.string_split(WORDS, ' ,')",
    "v1.strings.length(WORDS, None, 'UTF8_CHAR')",
    "v1.substr(WORDS[:1], [1], [3])",
    "v1.reduce_join([['a', 'b'], ['c', 'd']], 1, True, '-')",
    "v1.strings.reduce_join([['a', 'b'], ['c', 'd']], reduction_indices=0)",
    "v1.string_to_number(['1.5', '2'])",
    "v1.string_to_hash_bucket(['a', 'b'], 10)",
    # sparse
    f"v1.sparse_add({SPARSE}, {SPARSE}, 4.5)",
    f"v1.sparse_concat(1, [{SPARSE}, {SPARSE}])",
    f"v1.sparse.reduce_sum({SPARSE}, reduction_axes=1, keep_dims=True)",
    f"v1.sparse_reduce_max_sparse({SPARSE}, 1)",
    f"v1.sparse_split(sp_input={SPARSE}, num_split=2, axis=1)",
    "v1.sparse_segment_sum(X, [0, 1, 0], [0, 0, 1])",
    "v1.sparse_segment_mean(X, [0, 1, 0], [0, 0, 2], num_segments=4)",
    f"v1.sparse_tensor_to_dense({SPARSE})",
    # images
    "v1.image.resize_images(IMAGE, [3, 5])",
    "v1.image.resize_images(IMAGE, [3, 5], align_corners=True)",
    "v1.image.resize(IMAGE[0], [2, 3], v1.image.ResizeMethod.NEAREST_NEIGHBOR)",
    "v1.image.resize(IMAGE, [7, 7], v1.image.ResizeMethod.BICUBIC)",
    "v1.image.resize(IMAGE, [2, 2], v1.image.ResizeMethod.AREA)",
    "v1.image.resize(IMAGE, [6, 20], preserve_aspect_ratio=True)",
    "v1.image.resize_bilinear(IMAGE, [6, 6], half_pixel_centers=True)",
    "v1.image.crop_and_resize(IMAGE, [[0.0, 0.0, 0.5, 1.0]], box_ind=[0], crop_size=[2, 2])",
    "v1.image.draw_bounding_boxes(IMAGE / 48, [[[0.0, 0.0, 0.5, 0.5]]])",
    "v1.extract_image_patches(IMAGE, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID')",
    # records
    "v1.decode_csv(['1,2', '3,'], [[0], [7]], ',', True)",
    "v1.decode_raw([b'ab', b'cd'], 'uint8')",
    # neural networks
    "v1.nn.conv2d(IMAGE, np.ones([2, 2, 3, 1], 'f'), [1, 2, 2, 1], 'VALID')",
    "v1.nn.conv1d(IMAGE[0], np.ones([2, 3, 1], 'f'), 1, 'SAME')",
    "v1.nn.conv2d_transpose(IMAGE, np.ones([2, 2, 1, 3], 'f'), [1, 8, 8, 1], [1, 2, 2, 1])",
    "v1.nn.convolution(IMAGE, np.ones([2, 2, 3, 1], 'f'), 'VALID', dilation_rate=[2, 2])",
    "v1.nn.depthwise_conv2d(IMAGE, np.ones([2, 2, 3, 1], 'f'), [1, 1, 1, 1], 'VALID', [2, 2])",
    "v1.nn.separable_conv2d(IMAGE, np.ones([2, 2, 3, 1], 'f'), np.ones([1, 1, 3, 2], 'f'),"
    " [1, 1, 1, 1], 'SAME')",
    "v1.nn.max_pool(IMAGE, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')",
    "v1.nn.avg_pool(value=IMAGE, ksize=2, strides=2, padding='VALID')",
    "v1.nn.max_pool_with_argmax(IMAGE, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID', 'NHWC', 'int64')",
    "v1.nn.pool(IMAGE, [2, 2], 'MAX', 'VALID', strides=[2, 2])",
    "v1.nn.crelu(X, None, 0)",
    "v1.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0, 0.0]], logits=X[:1])",
    "v1.nn.softmax_cross_entropy_with_logits_v2([[0.0, 1.0, 0.0]], X[:1], dim=1)",
    "v1.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.5, -1.0], 2.0)",
    "v1.nn.moments(X, [0], None, None, True)",
    "v1.nn.weighted_moments(X, [0], [[1.0], [3.0]], keep_dims=True)",
    "v1.nn.sufficient_statistics(X, [0], None, True)",
    "v1.nn.embedding_lookup(X, IDS)",
    "v1.nn.dropout(X, 1.0)",
    "v1.nn.fused_batch_norm(IMAGE, [1.0, 2.0, 3.0], [0.0, 1.0, 2.0])",
    "v1.nn.fused_batch_norm(IMAGE, [1.0, 2.0, 3.0], [0.0, 1.0, 2.0], [1.0, 1.0, 1.0],"
    " [2.0, 2.0, 2.0], is_training=False)[0]",
    "v1.nn.xw_plus_b(X, np.ones([3, 2], 'f'), [1.0, 2.0])",
    "v1.nn.relu_layer(X, np.ones([3, 2], 'f'), [1.0, 2.0])",
]


def plain(value: Any) -> Any:
    """Return a result as what JSON holds."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "dense_shape"):
        return [plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if hasattr(value, "to_list"):
        return plain(value.to_list())
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, complex):
        return [value.real, value.imag]
    return value.item() if isinstance(value, np.generic) else value


def called(call: str, v1: Any) -> Any:
    """Return the result of a call as what JSON holds."""
    names = {"v1": v1, "np": np, "X": X, "IMAGE": IMAGE, "IDS": IDS, "WORDS": WORDS}
    return plain(eval(call, names))
