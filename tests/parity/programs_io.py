"""`tf.io`: values in strings of bytes, and refusals."""

PRELUDE = """
I, FT, FL = tf.io, tf.train.Feature, tf.train.FeatureList
F, V, SF, RF = I.FixedLenFeature, I.VarLenFeature, I.SparseFeature, I.RaggedFeature
FS = I.FixedLenSequenceFeature


def ints(*v):
    return FT(int64_list=tf.train.Int64List(value=v))


def floats(*v):
    return FT(float_list=tf.train.FloatList(value=v))


def texts(*v):
    return FT(bytes_list=tf.train.BytesList(value=v))


def example(**kw):
    return tf.train.Example(features=tf.train.Features(feature=kw)).SerializeToString()


def sequence(lists, **kw):
    found = {k: FL(feature=v) for k, v in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=kw),
        feature_lists=tf.train.FeatureLists(feature_list=found),
    ).SerializeToString()


def show(r):
    if isinstance(r, tf.RaggedTensor):
        return ('ragged', r.to_list(), r.row_splits.dtype)
    if isinstance(r, tf.SparseTensor):
        return ('sparse', r.indices, r.values, r.dense_shape)
    if isinstance(r, dict):
        return {k: show(r[k]) for k in sorted(r)}
    return [show(v) for v in r] if isinstance(r, (list, tuple)) else r


A = example(i=ints(1, 2), f=floats(0.5), s=texts(b'x', b'y'), e=FT())
B = example(i=ints(1, 2, 3, 4), s=texts(b'x'))
LISTS = {'a': [ints(1), ints(2)], 'b': [ints(1, 2, 3), ints(), ints(4)]}
S = sequence(LISTS, c=ints(5), v=ints(1, 2))
T = sequence({'a': [ints(1), ints(2), ints(3)], 'b': [ints(7)]}, c=ints(6))
"""
FEATURES = """
{'i': F([2], tf.int64), 'f': F([], tf.float32), 's': V(tf.string)}
{'q': F([], tf.int64)}
{'q': F([], tf.int64, 7), 'p': F([2], tf.float32, [1.0, 2.0]), 'v': V(tf.int64)}
{'i': F([3], tf.int64)}
{'i': F([2], tf.float32)}
{'i': V(tf.float32)}
{'e': F([], tf.int64, 3)}
{'i': FS([], tf.int64, allow_missing=True), 'q': FS([], tf.int64, allow_missing=True)}
{'i': FS([2], tf.int64, allow_missing=True, default_value=9)}
{'i': FS([], tf.int64)}
{'z': SF('i', 's', tf.string, 5)}
{'z': SF(['i', 'i'], 's', tf.string, [5, 6])}
{'r': RF(tf.int64, 'i'), 'i': RF(tf.int64)}
{'r': RF(tf.string, 's', [RF.RowLengths('i')])}
{'r': RF(tf.string, 's', [RF.UniformRowLength(2)])}
{'r': RF(tf.string, 's', [RF.ValueRowIds('i')])}
{'r': RF(tf.string, 's', [RF.RowLimits('i')], row_splits_dtype=tf.int64)}
{'i': F([None], tf.int64)}
{'i': V(tf.int32)}
{'i': 3}
{}
"""
EXPRESSIONS = r"""
I.parse_example([A, B], {'i': FS([], tf.int64, allow_missing=True, default_value=-1)})
I.parse_example([A, B], {'i': FS([2], tf.int64, allow_missing=True)})
I.parse_example([A, B], {'i': V(tf.int64), 'x': RF(tf.string, 's', [RF.UniformRowLength(1)])})
I.parse_example([A, B], {'i': V(tf.int64), 'r': RF(tf.int64, 'i')})
I.parse_example([A, B], {'i': F([2], tf.int64), 'z': SF('i', 's', tf.string, 5)})
I.parse_example([b'garbage'], {'i': V(tf.int64)})
I.parse_example([[A]], {'i': V(tf.int64)})
I.parse_example(tf.zeros([0], tf.string), {'i': V(tf.int64), 's': F([2], tf.string)})
I.parse_single_example([A], {'i': V(tf.int64)})
I.parse_sequence_example([S, T], {'c': F([], tf.int64), 'v': V(tf.int64)}, {'a': FS([], tf.int64),
    'b': V(tf.int64)})
I.parse_sequence_example([S, T], {'v': RF(tf.int64)}, {'b': RF(tf.int64), 'a': FS([1], tf.int64)})
I.parse_single_sequence_example(S, {'c': F([], tf.int64), 'v': V(tf.int64)}, {'a': FS([],
    tf.int64), 'b': V(tf.int64)})
I.parse_single_sequence_example(S, {'v': RF(tf.int64)}, {'b': RF(tf.int64)})
I.parse_sequence_example([S], {}, {'zz': FS([], tf.int64)})
I.parse_sequence_example([S], {}, {'zz': FS([], tf.int64, allow_missing=True)})
I.parse_sequence_example([S], {'q': F([], tf.int64)}, {})
I.parse_sequence_example([S], {}, {'a': FS([], tf.float32)})
I.parse_sequence_example([S], {}, {'b': FS([], tf.int64)})
I.parse_sequence_example([S], {}, {'a': F([], tf.int64)})
I.parse_sequence_example([S])
[I.serialize_tensor(v) for v in ([[1, 2], [3, 4]], ['a', 'bc'], True, 1 + 2j, tf.zeros([0, 2]),
    tf.constant([1.5], tf.bfloat16))]
[I.parse_tensor(I.serialize_tensor(v), v.dtype) for v in (tf.constant([[1, 2]]),
    tf.constant(['a']), tf.zeros([0, 2]))]
I.parse_tensor(I.serialize_tensor([1]), tf.float32)
I.parse_tensor('zz', tf.float32)
I.parse_tensor([I.serialize_tensor([1])], tf.int32)
I.serialize_many_sparse(tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4]))
I.serialize_sparse(tf.SparseTensor([[0, 1], [2, 0]], ['a', 'b'], [3, 4]))
I.deserialize_many_sparse(I.serialize_many_sparse(tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0],
    [3, 4])), tf.float32)
I.deserialize_many_sparse(I.serialize_many_sparse(tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0],
    [3, 4])), tf.int32)
I.deserialize_many_sparse([['a', 'b', 'c']], tf.float32)
I.deserialize_many_sparse(I.serialize_many_sparse(tf.SparseTensor([[0, 1], [2, 0]], ['a' * 200,
    ''], [3, 4])), tf.string)
I.serialize_many_sparse(tf.SparseTensor([[0]], [1], [2]))
I.decode_csv(['1,2.5,"a,b"', '4,,c'], [0, 1.5, ''])
I.decode_csv(['"a""b",c'], ['', ''])
I.decode_csv(['NA|2'], [5, 6], field_delim='|', na_value='NA')
I.decode_csv(['1,2,3'], [0, 0], select_cols=[0, 2])
I.decode_csv('a,', ['x', 'y'])
I.decode_csv([',2'], [tf.constant([], tf.int32), 1])
I.decode_csv(['1,2,3'], [1, 2])
I.decode_csv(['x'], [1])
I.decode_csv(['a"b,c'], ['', ''])
I.decode_csv('"abc', [''])
I.decode_csv('"abc"d,e', ['', ''])
I.decode_csv('1', [[1, 2]])
I.decode_csv('1', [True])
I.decode_csv(['1,2,3'], [0, 0], select_cols=[2, 0])
[I.encode_base64(['a', 'ab', b'\xff\xfe'], pad=p) for p in (False, True)]
I.decode_base64(['YQ', 'YWI=', '__4'])
I.decode_base64('+/8')
I.decode_base64('A')
I.decode_compressed(b'x\x9cKLJ\x06\x00\x02M\x01\'', 'ZLIB')
I.decode_compressed('xx', 'ZLIB')
I.decode_compressed('xx', 'FOO')
[I.decode_raw('abcdefgh', t, little_endian=e) for t in (tf.int16, tf.uint8, tf.float32,
    tf.complex64) for e in (False, True)]
I.decode_raw(['abcdef', 'c'], tf.int16, fixed_length=4)
I.decode_raw(['ab'], tf.int16, fixed_length=3)
I.decode_raw(['ab', 'c'], tf.uint8)
I.decode_raw('ab', tf.string)
I.decode_json_example('{"features":{"feature":{"b":{"bytesList":{"value":["YQ=="]}},"a":{"floatList":{"value":[1.5]}}}}}')
I.decode_json_example('{')
I.decode_proto([tf.train.Int64List(value=[1, 2]).SerializeToString(), b''],
    'tensorflow.Int64List', ['value'], [tf.int64])
I.decode_proto([b'\xff'], 'tensorflow.Int64List', ['value'], [tf.int64])
I.decode_proto([b''], 'tensorflow.Int64List', ['nope'], [tf.int64])
I.decode_proto([b''], 'tensorflow.Nope', ['value'], [tf.int64])
I.encode_proto([[2]], [tf.constant([[1, 2]], tf.int64)], ['value'], 'tensorflow.Int64List')
I.decode_png(I.encode_png(np.arange(24, dtype=np.uint16).reshape(2, 4, 3) * 2000), dtype=tf.uint16)
I.decode_png(I.encode_png(np.arange(16, dtype=np.uint16).reshape(2, 4, 2) * 2000),
    dtype=tf.uint16, channels=4)
I.encode_png(np.zeros([2, 2, 5], np.uint8))
I.encode_png(np.zeros([2, 2, 3], np.float32))
I.encode_png(np.zeros([2, 2, 3], np.uint8), compression=11)
I.decode_image('xx')
I.decode_png('xx', channels=5)
I.is_jpeg(b'\xff\xd8\xff\xe0')
I.extract_jpeg_shape('xx')
I.read_file('/no/such/file')
I.matching_files('/no/such/*')
I.TFRecordOptions('FOO')
"""
ASKED = [
    *(f"I.parse_example([A, A], {line})" for line in FEATURES.strip().splitlines()),
    *(f"I.parse_single_example(A, {line})" for line in FEATURES.strip().splitlines()),
    # A line that is set in goes on with the one before.
    *EXPRESSIONS.replace("\n    ", " ").strip().splitlines(),
]
PROGRAMS = [(line, f"{PRELUDE}\nshow({line})") for line in ASKED]
