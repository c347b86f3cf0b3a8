"""Programs about `tf.data`: elements, specs, orders, numbers of elements, and what is refused."""

D = "D = tf.data.Dataset\nl = lambda d: list(d.as_numpy_iterator())\n"
PAIRS = D + "d = D.from_tensor_slices(([1, 2, 3], ['a', 'b', 'c']))\n"
VECTORS = D + "d = D.range(1, 5, output_type=tf.int32).map(lambda x: tf.fill([x], x))\n"

PROGRAMS = [
    # sources
    ("slices", PAIRS + "l(d)"),
    ("slices of a dict", D + "l(D.from_tensor_slices({'b': [1, 2], 'a': ([3., 4.], ['x', 'y'])}))"),
    ("slices of arrays", D + "l(D.from_tensor_slices(np.arange(6).reshape(3, 2)))"),
    ("slices of a tensor", D + "str(D.from_tensor_slices(tf.zeros([2, 3])).element_spec)"),
    ("slices of a scalar", D + "D.from_tensor_slices(3)"),
    ("slices of other lengths", D + "D.from_tensor_slices(([1, 2], [1, 2, 3]))"),
    ("slices of nothing", D + "D.from_tensor_slices(())"),
    ("slices of rows that differ", D + "D.from_tensor_slices([[1], [1, 2]])"),
    ("slices of ragged rows", D + "l(D.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])))"),
    ("one element", D + "l(D.from_tensors(([1, 2], 'x', None)))"),
    ("specs of one element", D + "str(D.from_tensors((1, None, {'a': [1.5]})).element_spec)"),
    ("a range", D + "[l(D.range(3)), l(D.range(1, 6, 2)), l(D.range(5, 1, -2)), l(D.range(2, 1))]"),
    ("a range of floats", D + "l(D.range(3, output_type=tf.float32))"),
    ("a range without steps", D + "D.range(0, 3, 0)"),
    ("a range of nothing", D + "D.range()"),
    ("a range to a float", D + "D.range(2.5)"),
    ("a generator", D + "l(D.from_generator(lambda: [[1, 2], [3]], tf.int32))"),
    (
        "a generator with a signature",
        D + "s = (tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.string))\n"
        "l(D.from_generator(lambda: [([1, 2], 'a')], output_signature=s))",
    ),
    (
        "a generator with arguments",
        D + "l(D.from_generator(lambda n: range(n), tf.int64, args=(3,)))",
    ),
    ("a generator of other types", D + "l(D.from_generator(lambda: ['a'], tf.int32))"),
    ("a generator of other shapes", D + "l(D.from_generator(lambda: [[1, 2]], tf.int32, [3]))"),
    ("a generator that fails", D + "l(D.from_generator(lambda: (1 / 0 for _ in '1'), tf.int32))"),
    ("no generator", D + "D.from_generator([1], tf.int32)"),
    ("a generator of unknown types", D + "D.from_generator(lambda: [1])"),
    ("a list of elements", D + "l(tf.data.experimental.from_list([(1, 'a'), (2, 'b')]))"),
    ("random numbers", D + "tf.random.set_seed(None)\nl(D.random(seed=4).take(5))"),
    ("a counter", D + "l(D.counter(3, -2).take(4))"),
    # functions
    ("a map", PAIRS + "l(d.map(lambda x, y: {'x': x + 1, 'y': (y, 2.5)}))"),
    (
        "what a map returns",
        D + "str(D.range(1).map(lambda x: ((37., [42, 16]), 'foo')).element_spec)",
    ),
    ("a map to a list", D + "str(D.range(1).map(lambda x: [x, x]).element_spec)"),
    ("a map to an object", D + "D.range(1).map(lambda x: object())"),
    ("a map that fails", D + "l(D.range(2).map(lambda x: tf.debugging.check_numerics(1 / x, '')))"),
    ("a parallel map", D + "l(D.range(4).map(lambda x: x * x, num_parallel_calls=2))"),
    ("a filter", PAIRS + "l(d.filter(lambda x, y: x != 2))"),
    ("a filter without a truth", D + "D.range(2).filter(lambda x: x)"),
    ("a flat map", D + "l(D.range(4).flat_map(lambda x: D.range(x)))"),
    (
        "a flat map of a tensor",
        D + "l(D.range(3).flat_map(lambda x: D.from_tensor_slices([x, -x])))",
    ),
    (
        "interleaved",
        D + "l(D.range(7).interleave(lambda x: D.range(10 * x, 10 * x + x % 3 + 1), 3, 2))",
    ),
    ("a scan", D + "l(D.range(5).scan(np.int64(0), lambda s, x: (s + x, s * 2)))"),
    ("a scan to another state", D + "D.range(3).scan(0, lambda s, x: (x, x))"),
    ("a reduction", D + "D.range(5).reduce((0, np.int64(1)), lambda s, x: (s[0] + 1, s[1] + x))"),
    (
        "a reduction that grows",
        D + "D.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))",
    ),
    ("elements while they are small", D + "l(D.range(9).take_while(lambda x: x < 4))"),
    ("unique elements", D + "l(D.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique())"),
    ("unique floats", D + "D.from_tensor_slices([1.5]).unique()"),
    # batches
    ("batches", PAIRS + "l(d.batch(2))"),
    ("whole batches", D + "d = D.range(5).batch(2, True)\n[l(d), str(d.element_spec)]"),
    ("batches of nothing", D + "D.range(5).batch(0)"),
    ("batches of shapes that differ", VECTORS + "l(d.batch(2))"),
    ("padded batches", VECTORS + "l(d.padded_batch(2))"),
    ("padded to a shape", VECTORS + "l(d.padded_batch(3, 5, -1, True))"),
    ("padded with another type", VECTORS + "d.padded_batch(2, 5, 1.5)"),
    ("padded to too little", D + "D.from_tensors([1, 2]).padded_batch(1, [1])"),
    ("padded strings", PAIRS + "l(d.padded_batch(2))"),
    ("padded without a rank", D + "D.from_generator(lambda: [[1]], tf.int32).padded_batch(2)"),
    ("taken apart", D + "l(D.range(5).batch(2).unbatch())"),
    ("scalars taken apart", D + "D.range(5).unbatch()"),
    ("other batches", D + "l(D.range(7).batch(4).rebatch([1, 2]))"),
    ("windows", D + "[l(w) for w in D.range(7).window(3, shift=2, stride=2)]"),
    (
        "batches of windows",
        D + "l(D.range(7).window(3, 1, drop_remainder=True).flat_map(lambda w: w.batch(3)))",
    ),
    ("groups", D + "l(D.range(9).group_by_window(lambda x: x % 2, lambda k, g: g.batch(3), 3))"),
    (
        "buckets",
        VECTORS + "l(d.bucket_by_sequence_length(lambda v: tf.shape(v)[0], [3], [2, 2]))",
    ),
    # several, parts, repetitions
    ("side by side", D + "l(D.zip({'a': D.range(3), 'b': (D.range(5, 9),)}))"),
    ("a list side by side", D + "D.zip([D.range(2)])"),
    ("numbers side by side", D + "D.zip(3)"),
    ("one after the other", D + "l(D.range(2).concatenate(D.range(5, 8)))"),
    ("others after the other", D + "D.range(2).concatenate(D.from_tensors(1))"),
    ("elements with numbers", PAIRS + "l(d.enumerate(5))"),
    (
        "parts",
        D + "d = D.range(9)\n"
        "[l(d.take(2)), l(d.skip(7)), l(d.take(-1)), l(d.skip(-1)), l(d.shard(4, 1))]",
    ),
    ("a shard too many", D + "D.range(5).shard(3, 3)"),
    ("repetitions", D + "l(D.range(3).repeat(2).batch(4))"),
    (
        "choices",
        D + "l(D.choose_from_datasets([D.range(3), D.range(9, 11)], D.range(2).repeat(3)))",
    ),
    # orders
    ("an order", D + "tf.random.set_seed(None)\nd = D.range(9).shuffle(4, seed=2)\n[l(d), l(d)]"),
    (
        "a fixed order",
        D + "tf.random.set_seed(None)\nd = D.range(9).shuffle(9, 2, False)\n[l(d), l(d)]",
    ),
    (
        "orders of repetitions",
        D + "tf.random.set_seed(None)\nl(D.range(4).shuffle(3, seed=2).repeat(3))",
    ),
    ("an order by the global seed", D + "tf.random.set_seed(8)\nl(D.range(9).shuffle(9))"),
    ("no buffer", D + "D.range(3).shuffle(0)"),
    # the rest
    (
        "numbers of elements",
        D + "d = D.range(10)\n[x.cardinality() for x in (d, d.repeat(), d.batch(3), "
        "d.filter(lambda x: True), d.window(3, 2), d.shard(3, 1), d.take(99), d.repeat(2), "
        "D.zip(d, d.repeat()), d.flat_map(lambda x: D.range(2)), d.batch(5, True).unbatch(), "
        "d.repeat().skip(2), d.concatenate(d))]",
    ),
    ("the length of an endless one", D + "len(D.range(3).repeat())"),
    ("an unknown length", D + "len(D.range(3).filter(lambda x: True))"),
    ("a dataset as text", D + "repr(D.range(3).batch(2))"),
    ("a spec as text", D + "repr(tf.data.DatasetSpec.from_value(D.range(3)))"),
    ("the only element", D + "D.range(1).get_single_element()"),
    ("the only one of two", D + "D.range(2).get_single_element()"),
    ("the end of an iterator", D + "iter(D.range(0)).get_next()"),
    ("the next of none", D + "next(iter(D.range(0)))"),
    (
        "an optional",
        "o = tf.experimental.Optional.from_value((1, 'a'))\n[o.has_value(), o.get_value()]",
    ),
    (
        "an empty optional",
        "tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).get_value()",
    ),
    (
        "errors passed over",
        D + "l(D.range(3).map(lambda x: tf.debugging.check_numerics(1 / x, '')).ignore_errors())",
    ),
    (
        "a ragged batch",
        D + "[b.to_list() for b in D.range(3).map(lambda x: tf.range(x)).ragged_batch(2)]",
    ),
    (
        "a dataset in a function",
        D + "f = tf.function(lambda d: d.batch(2).reduce(0, lambda s, x: s + 1), autograph=False)\n"
        "f(D.range(5))",
    ),
    (
        "an iterator in a function",
        D
        + "f = tf.function(lambda i: next(i), autograph=False)\ni = iter(D.range(5))\n[f(i), f(i)]",
    ),
    (
        "options",
        "o = tf.data.Options()\no.deterministic = True\n"
        "tf.data.Dataset.range(1).with_options(o).options().deterministic",
    ),
    ("options of another type", "tf.data.Options().deterministic = 3\n0"),
]
