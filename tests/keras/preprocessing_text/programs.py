"""Programs on the preprocessing layers, whose results were recorded from Keras."""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
L = k.layers
def plain(x):
    if isinstance(x, (list, tuple)):
        return [plain(each) for each in x]
    if isinstance(x, tf.SparseTensor):
        return ["sparse", x.indices, plain(x.values), x.dense_shape]
    if isinstance(x, tf.RaggedTensor):
        return ["ragged", x.row_splits, plain(x.flat_values)]
    if isinstance(x, tf.Tensor) and x.dtype == tf.string:
        return [list(x.shape), [t.decode() for t in x.numpy().reshape(-1)]]
    return x
def everywhere(layer, x):
    '''What a layer returns eagerly, in a function, in a dataset, and the symbolic shape.'''
    eager = plain(layer(x))
    traced = plain(tf.function(lambda t: layer(t))(x))
    mapped = []
    if isinstance(x, tf.Tensor):
        for each in tf.data.Dataset.from_tensors(x).map(layer):
            mapped.append(plain(each))
    return [eager, traced, mapped]
texts = tf.constant(["The red, red rose!", "A SONG of (the) rose?", ""])
words = tf.constant([["earth", "wind", "and"], ["fire", "and", "michigan"]])
numbers = tf.constant([[12, 1138, 42], [42, 1000, 36]], tf.int64)
features = np.array([[0.5, -2.0, 3.5], [1.5, 0.0, 7.25], [-4.0, 2.5, 1.0]], "float32")
"""

_MODES = ("one_hot", "multi_hot", "count")


def _program(code: str) -> str:
    return _DATA + code


def _call(layer: str, inputs: str) -> str:
    return f"result = everywhere({layer}, {inputs})\n"


_NORMALIZATION = {
    **{
        f"normalization {name}": (
            f"layer = L.Normalization({arguments})\nlayer.adapt({data})\n"
            f"result = [everywhere(layer, tf.constant({data})), layer.mean, layer.variance,"
            f" layer.get_config(), [w.name for w in layer.weights]]\n"
        )
        for name, arguments, data in (
            ("last axis", "", "features"),
            ("all", "axis=None", "features"),
            ("two axes", "axis=(1, 2)", "features[:, None]"),
            ("first axis", "axis=0", "features"),
            ("invert", "invert=True", "features"),
        )
    },
    "normalization passed": _call("L.Normalization(mean=3.0, variance=2.0)", "features"),
    "normalization passed vector": _call(
        "L.Normalization(axis=-1, mean=[1.0, 2.0, 3.0], variance=[1.0, 4.0, 9.0])", "features"
    ),
    "normalization dataset": (
        "layer = L.Normalization()\n"
        "layer.adapt(tf.data.Dataset.from_tensor_slices(features).batch(2))\n"
        "result = [layer.mean, layer.variance]\n"
    ),
    "normalization one argument": "L.Normalization(mean=1.0)",
    "normalization unknown axis": "L.Normalization().build((3, None))",
    "normalization other size": (
        "layer = L.Normalization()\nlayer.build((None, 2))\nlayer.adapt(features)\nresult = 0\n"
    ),
}

_DISCRETIZATION = {
    "discretization adapt": (
        "layer = L.Discretization(num_bins=4, epsilon=0.05)\n"
        "layer.adapt(np.random.default_rng(0).standard_normal((200, 3)).astype('float32'))\n"
        "result = [layer.bin_boundaries, everywhere(layer, tf.constant(features))]\n"
    ),
    "discretization adapt in batches": (
        "layer = L.Discretization(num_bins=3)\n"
        "x = np.random.default_rng(1).standard_normal(500).astype('float32')\n"
        "layer.adapt(tf.data.Dataset.from_tensor_slices(x).batch(60))\n"
        "result = [layer.bin_boundaries, layer.get_config()]\n"
    ),
    **{
        f"discretization {mode} {sparse}": _call(
            f"L.Discretization([0.0, 1.0, 3.0], output_mode='{mode}', sparse={sparse})",
            "tf.constant(features)",
        )
        for mode, sparse in (("int", False), *((m, s) for m in _MODES for s in (False, True)))
    },
    "discretization both": "L.Discretization([0.0], num_bins=3)",
    "discretization neither": "L.Discretization()",
    "discretization sparse int": "L.Discretization([0.0], sparse=True)",
}

_CATEGORIES = {
    **{
        f"category {mode} {sparse} {name}": (
            f"layer = L.CategoryEncoding(4, output_mode='{mode}', sparse={sparse})\n"
            f"x = tf.constant({data})\n"
            "result = [plain(layer(x)), layer.compute_output_shape(tuple(x.shape))]\n"
        )
        for mode in _MODES
        for sparse in (False, True)
        for name, data in (("rows", "[[0, 1], [3, 3]]"), ("vector", "[2, 0, 2]"))
    },
    "category scalar": _call("L.CategoryEncoding(3, 'one_hot')", "tf.constant(2)"),
    "category weights": (
        "result = L.CategoryEncoding(4, 'count')([[0, 1], [3, 3]],"
        " count_weights=[[0.5, 2.0], [1.0, 3.0]])\n"
    ),
    "category rank 3": _call(
        "L.CategoryEncoding(4, 'multi_hot')", "tf.constant([[[0, 1], [1, 2]], [[3, 3], [0, 3]]])"
    ),
    "category none": "L.CategoryEncoding()",
    "category weights in another mode": "L.CategoryEncoding(3)([1], count_weights=[1.0])",
    **{
        f"hashing {name}": _call(f"L.Hashing({arguments})", data)
        for name, arguments, data in (
            ("words", "5", "words"),
            ("integers", "7", "numbers"),
            ("salt", "5, salt=133", "words"),
            ("two salts", "5, salt=[3, 9]", "words"),
            ("mask", "5, mask_value='and'", "words"),
            ("integer mask", "3, mask_value=42", "numbers"),
            ("one hot", "3, output_mode='one_hot'", "words"),
            ("multi hot", "3, output_mode='multi_hot'", "words"),
            ("count", "3, output_mode='count', sparse=True", "words"),
            ("ragged", "5", "tf.ragged.constant([['a', 'b'], ['c']])"),
            ("sparse", "5", "tf.sparse.from_dense([['a', 'b'], ['c', '']])"),
        )
    },
    "hashing floats": "k.layers.Hashing(3, dtype='float32')",
    "hashing none": "k.layers.Hashing(0)",
    **{
        f"crossing {name}": (
            f"layer = L.HashedCrossing({arguments})\n"
            f"result = [plain(layer(({data}))), layer.get_config()]\n"
        )
        for name, arguments, data in (
            ("strings", "5", "tf.constant(['A', 'B', 'A']), tf.constant([101, 101, 102])"),
            ("columns", "4", "tf.constant([['A'], ['B']]), tf.constant([[1], [2]])"),
            ("scalars", "10", "tf.constant('A'), tf.constant(5)"),
            ("one hot", "5, 'one_hot'", "tf.constant(['A', 'B']), tf.constant([101, 101])"),
            ("sparse", "5, 'one_hot', True", "tf.constant(['A', 'B']), tf.constant([1, 1])"),
            ("three", "9", "tf.constant(['A']), tf.constant([1]), tf.constant(['x'])"),
        )
    },
    "crossing one input": "k.layers.HashedCrossing(3)([tf.constant([1])])",
    "crossing floats": "k.layers.HashedCrossing(3)([tf.constant([1.0]), tf.constant([2.0])])",
    "crossing shapes": "k.layers.HashedCrossing(3)([tf.constant([1]), tf.constant([1, 2])])",
}

_LOOKUPS = {
    **{
        f"string lookup {name}": _call(
            f"L.StringLookup(vocabulary=['earth', 'wind', 'and'], {arguments})", data
        )
        for name, arguments, data in (
            ("int", "", "words"),
            ("mask", "mask_token='and' if False else ''", "words"),
            ("three unknown", "num_oov_indices=3", "words"),
            ("salted", "num_oov_indices=3, salt=7", "words"),
            ("one hot", "output_mode='one_hot'", "words[:, :1]"),
            ("multi hot", "output_mode='multi_hot'", "words"),
            ("sparse", "output_mode='count', sparse=True", "words"),
            ("padded", "max_tokens=6, pad_to_max_tokens=True, output_mode='multi_hot'", "words"),
            ("idf", "output_mode='tf_idf', idf_weights=[0.5, 2.0, 3.0]", "words"),
            ("inverted", "invert=True", "tf.constant([[1, 3], [0, 7]], tf.int64)"),
            ("inverted mask", "invert=True, mask_token=''", "tf.constant([0, 1, 2, 3], tf.int64)"),
            ("scalar", "", "tf.constant('wind')"),
            ("ragged", "", "tf.ragged.constant([['and'], ['wind', 'x']])"),
            ("sparse input", "", "tf.sparse.from_dense([['and', ''], ['wind', 'x']])"),
        )
    },
    **{
        f"string lookup adapt {mode}": (
            f"layer = L.StringLookup(output_mode='{mode}', max_tokens=6)\n"
            "layer.adapt([['b', 'a', 'b'], ['c', 'b', 'a'], ['d', '[UNK]', 'e']])\n"
            "result = [layer.get_vocabulary(), layer.get_vocabulary(False),"
            " layer.vocabulary_size(), plain(layer([['b', 'z', 'a']])), layer.get_config()]\n"
        )
        for mode in ("int", "multi_hot", "count", "tf_idf")
    },
    "string lookup states": (
        "layer = L.StringLookup()\n"
        "for batch in (['a', 'b'], ['b', 'c', 'b'], ['c', 'b']):\n"
        "    layer.update_state(batch)\n"
        "layer.finalize_state()\n"
        "first = layer.get_vocabulary()\n"
        "layer.reset_state()\nlayer.update_state(['z'])\nlayer.finalize_state()\n"
        "result = [first, layer.get_vocabulary()]\n"
    ),
    "string lookup special tokens": (
        "layer = L.StringLookup(mask_token='', vocabulary=['', '[UNK]', 'a', 'b'])\n"
        "result = [layer.get_vocabulary(), layer(['b', '', 'q'])]\n"
    ),
    "string lookup tensor": (
        "layer = L.StringLookup(vocabulary=tf.constant(['x', 'y']))\n"
        "result = [layer.get_vocabulary(), layer.get_config()]\n"
    ),
    "string lookup dataset": (
        "layer = L.StringLookup()\n"
        "layer.adapt(tf.data.Dataset.from_tensor_slices(['a', 'b', 'b', 'q']).batch(2), steps=1)\n"
        "result = layer.get_vocabulary()\n"
    ),
    **{
        f"integer lookup {name}": _call(
            f"L.IntegerLookup(vocabulary=[12, 36, 1138], {arguments})", "numbers"
        )
        for name, arguments in (
            ("int", ""),
            ("mask", "mask_token=42"),
            ("unknown", "num_oov_indices=3"),
            ("hashed", "num_oov_indices=3, oov_method='farmhash'"),
            ("salted", "num_oov_indices=3, oov_method='farmhash', salt=5"),
            ("count", "output_mode='count'"),
            ("masked count", "output_mode='count', mask_token=42"),
        )
    },
    "integer lookup inverted": _call(
        "L.IntegerLookup(vocabulary=[12, 36], invert=True)", "tf.constant([0, 1, 2, 5], tf.int64)"
    ),
    "integer lookup adapt": (
        "layer = L.IntegerLookup(mask_token=0)\nlayer.adapt(np.array([[5, 0, 3], [3, 5, 3]]))\n"
        "result = [list(map(int, layer.get_vocabulary())), layer.get_config(), layer([3, 0, 9])]\n"
    ),
    "lookup without unknown": (
        "result = k.layers.StringLookup(vocabulary=['a'], num_oov_indices=0)(['a', 'b'])"
    ),
    "lookup before adapt": "k.layers.StringLookup(output_mode='count')(['a'])",
    "lookup adapt with vocabulary": "k.layers.StringLookup(vocabulary=['a']).adapt(['b'])",
    "lookup repeated": "k.layers.StringLookup(vocabulary=['a', 'a'])",
    "lookup too large": "k.layers.StringLookup(vocabulary=['a', 'b'], max_tokens=2)",
    "lookup mask inside": "k.layers.StringLookup(vocabulary=['a', ''], mask_token='')",
    "lookup empty": "k.layers.StringLookup(vocabulary=[])",
    "lookup no file": "k.layers.StringLookup(vocabulary='/no/such/file')",
    "lookup idf in another mode": "k.layers.StringLookup(vocabulary=['a'], idf_weights=[1.0])",
    "lookup idf missing": "k.layers.StringLookup(vocabulary=['a'], output_mode='tf_idf')",
    "lookup size changed": (
        "layer = k.layers.StringLookup(output_mode='count')\nlayer.adapt(['a'])\n"
        "layer.set_vocabulary(['a', 'b'])\nresult = 0\n"
    ),
}

_TEXT = {
    **{
        f"text {name}": (
            f"layer = L.TextVectorization({arguments})\nlayer.adapt(texts)\n"
            "result = [layer.get_vocabulary(), everywhere(layer, texts)]\n"
        )
        for name, arguments in (
            ("int", ""),
            ("length", "output_sequence_length=3"),
            ("long", "output_sequence_length=9"),
            ("few", "max_tokens=4"),
            ("lower", "standardize='lower'"),
            ("punctuation", "standardize='strip_punctuation'"),
            ("raw", "standardize=None"),
            ("own standardize", "standardize=lambda t: tf.strings.upper(t)"),
            ("characters", "split='character', output_sequence_length=5"),
            ("whole", "split=None"),
            ("own split", "split=lambda t: tf.strings.split(t, 'r')"),
            ("n-grams", "ngrams=2"),
            ("some n-grams", "ngrams=(2, 3), output_sequence_length=2"),
            ("ragged", "ragged=True"),
            ("ragged length", "ragged=True, output_sequence_length=2"),
            ("multi hot", "output_mode='multi_hot'"),
            ("binary", "output_mode='binary'"),
            ("count", "output_mode='count', max_tokens=8, pad_to_max_tokens=True"),
            ("idf", "output_mode='tf_idf', max_tokens=8, pad_to_max_tokens=True"),
            ("sparse", "output_mode='count', sparse=True"),
        )
    },
    "text dataset": (
        "layer = L.TextVectorization(max_tokens=5)\n"
        "layer.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(2))\n"
        "result = [layer.get_vocabulary(), layer.get_config()]\n"
    ),
    "text unbatched dataset": (
        "layer = L.TextVectorization(output_mode='tf_idf')\n"
        "layer.adapt(tf.data.Dataset.from_tensor_slices(texts))\n"
        "result = [layer.get_vocabulary(), layer(texts)]\n"
    ),
    "text vocabulary": (
        "layer = L.TextVectorization(vocabulary=['rose', 'red'], output_sequence_length=4)\n"
        "result = [layer(texts), layer(['red']), layer('red rose'), layer([['red'], ['x']]),"
        " layer.get_config()]\n"
    ),
    "text model": (
        "layer = L.TextVectorization(output_sequence_length=4)\nlayer.adapt(texts)\n"
        "i = k.Input((1,), dtype='string')\nm = k.Model(i, layer(i))\n"
        "s = k.Sequential([layer])\n"
        "result = [m(texts[:, None]), m.predict(texts[:, None], verbose=0), s(texts[:, None]),"
        " list(m.output_shape), m.output.dtype]\n"
    ),
    "text wide": "k.layers.TextVectorization(vocabulary=['a'])([['a', 'b']])",
    "text bad mode": "k.layers.TextVectorization(output_mode='no')",
    "text bad split": "k.layers.TextVectorization(split='no')",
    "text length of counts": (
        "k.layers.TextVectorization(output_mode='count', output_sequence_length=3)"
    ),
}

_HELPERS = {
    **{
        f"pad sequences {name}": f"k.utils.pad_sequences([[1], [2, 3, 4], [5, 6]], {arguments})"
        for name, arguments in (
            ("pre", ""),
            ("post", "padding='post'"),
            ("short", "maxlen=2"),
            ("short post", "maxlen=2, truncating='post', value=9"),
            ("long floats", "maxlen=4, dtype='float32', value=0.5"),
            ("bad end", "padding='no'"),
            ("string", "value='x'"),
        )
    },
    "pad sequences of vectors": "k.preprocessing.sequence.pad_sequences([[[1, 2]], [[3, 4]] * 2])",
    "pad sequences of numbers": "k.utils.pad_sequences([1, 2])",
    **{
        f"timeseries {name}": (
            "result = [plain(b) for b in k.utils.timeseries_dataset_from_array("
            f"np.arange(12.0), {arguments})]\n"
        )
        for name, arguments in (
            ("targets", "np.arange(12) * 2, sequence_length=4, batch_size=3"),
            ("alone", "None, sequence_length=3, sequence_stride=2, batch_size=None"),
            ("sampled", "None, sequence_length=3, sampling_rate=2, start_index=1, end_index=10"),
            ("bad start", "None, sequence_length=3, start_index=12"),
            ("bad end", "None, sequence_length=3, start_index=5, end_index=4"),
            ("bad rate", "None, sequence_length=3, sampling_rate=0"),
        )
    },
    **{
        f"tokenizer {name}": (
            f"t = k.preprocessing.text.Tokenizer({arguments})\n"
            "t.fit_on_texts(['The cat sat, the cat.', 'A dog sat!', ['The', 'x']])\n"
            "again = k.preprocessing.text.tokenizer_from_json(t.to_json())\n"
            "s = again.texts_to_sequences(['the dog and the cat', 'sat'])\n"
            "result = [t.word_index, t.document_count, sorted(t.word_docs.items()), s,"
            " t.sequences_to_texts(s), [t.texts_to_matrix(['the cat the'], mode=m)"
            " for m in ('binary', 'count', 'freq', 'tfidf')]]\n"
        )
        for name, arguments in (
            ("plain", ""),
            ("few", "num_words=3"),
            ("oov", "oov_token='?', num_words=4"),
            ("characters", "char_level=True"),
            ("cased", "lower=False, filters='.'"),
        )
    },
    "words": "k.preprocessing.text.text_to_word_sequence('One, two;three FOUR', lower=False)",
    "hashing trick": "k.preprocessing.text.hashing_trick('one two one', 20, 'md5')",
    "sampling table": "k.preprocessing.sequence.make_sampling_table(6)",
    "skip grams": (
        "result = k.preprocessing.sequence.skipgrams([1, 2, 0, 3], 5, window_size=1,"
        " negative_samples=0, shuffle=False, categorical=True)\n"
    ),
    "timeseries generator": (
        "g = k.preprocessing.sequence.TimeseriesGenerator(np.arange(10), np.arange(10), length=4,"
        " sampling_rate=2, stride=2, batch_size=2, reverse=True)\n"
        "result = [len(g), [list(g[i]) for i in range(len(g))]]\n"
    ),
}

PROGRAMS = {
    name: code
    if code.startswith("k.")
    else _program(code if "result" in code else f"result = {code}")
    for table in (_NORMALIZATION, _DISCRETIZATION, _CATEGORIES, _LOOKUPS, _TEXT, _HELPERS)
    for name, code in table.items()
}
