"""Losses of labels and predictions: functions, classes, reductions, weights, masks, dtypes."""

from __future__ import annotations

NUMBERS = (
    "[[1.0, -0.5, 2.0], [0.25, 0.0, 3.0]]",
    "[[0.5, 0.5, 2.5], [0.3, -0.1, 1.0]]",
)
POSITIVE = (
    "[[1.0, 0.5, 2.0], [0.25, 0.0, 3.0]]",
    "[[0.5, 0.5, 2.5], [0.3, 0.1, 1.0]]",
)
BINARY = ("[[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]", "[[0.9, 0.2, 0.4], [0.0, 0.6, 1.0]]")
SIGNS = ("[[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]]", "[[0.9, 0.2, -0.4], [0.0, -1.6, 1.0]]")
SHARES = ("[[1.0, 0.0, 0.0], [0.0, 0.3, 0.7]]", "[[0.7, 0.2, 0.1], [0.1, 0.8, 0.2]]")
LOGITS = ("[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]", "[[2.0, -1.0, 0.5], [-3.0, 0.1, 4.0]]")
CLASSES = ("[0, 2]", "[[0.7, 0.2, 0.1], [0.1, 0.8, 0.2]]")
CLASS_LOGITS = ("[0, 2]", "[[2.0, -1.0, 0.5], [-3.0, 0.1, 4.0]]")
EMBEDDINGS = ("[0, 1, 0, 1]", "[[1.0, 0.0], [0.0, 1.0], [0.8, 0.6], [0.6, 0.8]]")
SEQUENCES = (
    "[[1, 2, 0], [2, 0, 0]]",
    "np.sin(np.arange(40.0)).reshape(2, 5, 4).astype('float32').tolist()",
)

FUNCTIONS = {
    "mse": ("", *NUMBERS),
    "mae": ("", *NUMBERS),
    "mape": ("", *NUMBERS),
    "msle": ("", *POSITIVE),
    "huber": ("", *NUMBERS),
    "huber with delta": (", delta=0.4", *NUMBERS),
    "logcosh": ("", *NUMBERS),
    "poisson": ("", *POSITIVE),
    "cosine_similarity": ("", *NUMBERS),
    "cosine_similarity along 0": (", axis=0", *NUMBERS),
    "hinge": ("", *SIGNS),
    "hinge of labels": ("", *BINARY),
    "squared_hinge": ("", *BINARY),
    "categorical_hinge": ("", *LOGITS),
    "kld": ("", *SHARES),
    "binary_crossentropy": ("", *BINARY),
    "binary_crossentropy of logits": (", from_logits=True", *LOGITS),
    "binary_crossentropy smoothed": (", label_smoothing=0.2, axis=0", *BINARY),
    "binary_focal_crossentropy": ("", *BINARY),
    "binary_focal_crossentropy balanced": (
        ", apply_class_balancing=True, alpha=0.4, gamma=1.5, from_logits=True",
        *LOGITS,
    ),
    "categorical_crossentropy": ("", *SHARES),
    "categorical_crossentropy of logits": (", from_logits=True, label_smoothing=0.1", *LOGITS),
    "categorical_crossentropy along 0": (", axis=0", *SHARES),
    "categorical_focal_crossentropy": ("", *SHARES),
    "categorical_focal_crossentropy of logits": (
        ", alpha=[0.1, 0.2, 0.3], from_logits=True, label_smoothing=0.1",
        *LOGITS,
    ),
    "sparse_categorical_crossentropy": ("", *CLASSES),
    "sparse_categorical_crossentropy of logits": (", from_logits=True", *CLASS_LOGITS),
    "sparse_categorical_crossentropy ignoring": (", ignore_class=2", *CLASSES),
    "categorical_generalized_cross_entropy": (", 0.4", *CLASSES),
    "dice": ("", *BINARY),
    "dice along 1": (", axis=1", *BINARY),
    "tversky": (", alpha=0.3, beta=0.6", *BINARY),
    "circle": (", gamma=2.0", *EMBEDDINGS),
    "circle with itself": (", gamma=2.0, margin=0.2, remove_diagonal=False", *EMBEDDINGS),
    "ctc": ("", *SEQUENCES),
}
FUNCTION = """
y_true, y_pred = tf.constant({true}), tf.Variable({pred}, dtype=tf.float32)
with tf.GradientTape() as tape:
    losses = k.losses.{name}(y_true, y_pred{options})
result = [losses, tape.gradient(losses, y_pred)]
"""

MADE = {
    "MeanSquaredError()": NUMBERS,
    "MeanAbsoluteError()": NUMBERS,
    "MeanAbsolutePercentageError()": NUMBERS,
    "MeanSquaredLogarithmicError()": POSITIVE,
    "CosineSimilarity()": NUMBERS,
    "Huber()": NUMBERS,
    "Huber(0.4)": NUMBERS,
    "LogCosh()": NUMBERS,
    "Poisson()": POSITIVE,
    "Hinge()": SIGNS,
    "SquaredHinge()": SIGNS,
    "CategoricalHinge()": LOGITS,
    "KLDivergence()": SHARES,
    "BinaryCrossentropy()": BINARY,
    "BinaryCrossentropy(True, 0.1)": LOGITS,
    "BinaryFocalCrossentropy()": BINARY,
    "BinaryFocalCrossentropy(True, 0.3, 1.0)": BINARY,
    "CategoricalCrossentropy()": SHARES,
    "CategoricalCrossentropy(from_logits=True, label_smoothing=0.2)": LOGITS,
    "CategoricalFocalCrossentropy()": SHARES,
    "CategoricalFocalCrossentropy(0.5, 1.0, True)": LOGITS,
    "SparseCategoricalCrossentropy()": CLASSES,
    "SparseCategoricalCrossentropy(True)": CLASS_LOGITS,
    "SparseCategoricalCrossentropy(ignore_class=2)": CLASSES,
    "CategoricalGeneralizedCrossEntropy(0.3)": CLASSES,
    "Dice(axis=1)": BINARY,
    "Tversky(0.3, 0.6, axis=1)": BINARY,
    "Circle(gamma=2.0)": EMBEDDINGS,
    "CTC()": SEQUENCES,
}
CLASS = """
loss = k.losses.{made}
y_true, y_pred = tf.constant({true}), tf.constant({pred})
result = []
for reduction in ("sum_over_batch_size", "sum", None, "none", "mean", "mean_with_sample_weight"):
    loss.reduction = reduction
    result += [loss(y_true, y_pred), loss(y_true, y_pred, sample_weight=0.5)]
    weights = tf.range(1.0, tf.cast(tf.shape(y_pred)[0], tf.float32) + 1.0)
    result.append(loss(y_true, y_pred, sample_weight=weights))
"""
CONFIG = "[k.losses.{made}.get_config(), k.losses.{made}.name, k.losses.{made}.dtype]"
# Their configs say more than Keras', which forgets an argument.
RICHER = ("CosineSimilarity", "Huber", "SparseCategoricalCrossentropy")

OTHERS = {
    "a mask": """
loss = k.losses.MeanSquaredError(reduction={reduction!r})
y_true = tf.constant([[[1.0]], [[2.0]], [[4.0]]])
y_pred = k.layers.Masking()(tf.constant([[[0.5]], [[1.0]], [[0.0]]]))
result = [loss(y_true, y_pred), loss(y_true, y_pred, sample_weight=tf.constant([1.0, 3.0, 2.0]))]
""",
}

PROGRAMS = {
    **{
        name: FUNCTION.format(name=name.split()[0], options=options, true=true, pred=pred)
        for name, (options, true, pred) in FUNCTIONS.items()
    },
    **{made: CLASS.format(made=made, true=true, pred=pred) for made, (true, pred) in MADE.items()},
    **{
        f"config of {made}": CONFIG.format(made=made)
        for made in MADE
        if not made.startswith(RICHER)
    },
    **{
        f"a mask, {reduction}": OTHERS["a mask"].format(reduction=reduction)
        for reduction in ("sum_over_batch_size", "sum", "none", "mean_with_sample_weight")
    },
    "half precision": """
loss = k.losses.MeanSquaredError(dtype="float16")
result = [loss([[1.0], [2.0]], [[1.5], [2.5]]), loss.dtype]
""",
    "bfloat16": "k.losses.BinaryCrossentropy(dtype='bfloat16')([[1.0], [0.0]], [[0.75], [0.5]])",
    "a column and a vector": """
column, vector = tf.constant([[1.0], [0.0]]), tf.constant([0.75, 0.5])
result = [k.losses.MeanSquaredError()(column, vector), k.losses.MeanAbsoluteError()(vector, column),
          k.losses.BinaryCrossentropy()(tf.constant([1, 0]), tf.constant([[0.5], [0.25]]))]
""",
    "weights of steps": """
loss = k.losses.MeanSquaredError()
y_true, y_pred = tf.zeros([2, 3, 1]), tf.reshape(tf.range(6.0), [2, 3, 1])
result = [loss(y_true, y_pred, tf.constant([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]])),
          loss(y_true, y_pred, tf.constant([[[1.0], [2.0], [0.0]], [[0.0], [1.0], [1.0]]])),
          loss(y_true, y_pred, tf.constant([[2.0], [3.0]]))]
""",
    "nothing": "k.losses.MeanSquaredError()(tf.zeros([0, 2]), tf.zeros([0, 2]))",
    "labels as whole numbers": "k.losses.mse(np.array([[1, 2]]), tf.constant([[1.5, 2.5]]))",
    "ignored classes": """
loss = k.losses.SparseCategoricalCrossentropy(ignore_class=-1)
y_true = tf.constant([[0, -1], [1, -1]])
y_pred = tf.constant([[[0.7, 0.3], [0.4, 0.6]], [[0.2, 0.8], [0.5, 0.5]]])
result = [loss(y_true, y_pred), loss(y_true, y_pred, tf.constant([1.0, 2.0]))]
""",
    "from a softmax": """
logits = tf.constant([[30.0, -30.0], [-200.0, 200.0]])
@tf.function
def loss():
    shares = tf.nn.softmax(logits)
    return (k.losses.categorical_crossentropy([[0.0, 1.0], [1.0, 0.0]], shares),
            k.losses.sparse_categorical_crossentropy(tf.constant([1, 0]), shares),
            k.losses.binary_crossentropy(tf.constant([[0.0, 1.0], [1.0, 0.0]]), tf.sigmoid(logits)))
result = loss()
""",
    "from an activation": """
logits = tf.constant([[30.0, -30.0], [-200.0, 200.0]])
shares, chances = k.activations.softmax(logits), k.activations.sigmoid(logits)
result = [k.losses.CategoricalCrossentropy()(tf.constant([[0.0, 1.0], [1.0, 0.0]]), shares),
          k.losses.SparseCategoricalCrossentropy()(tf.constant([1, 0]), shares),
          k.losses.BinaryCrossentropy()(tf.constant([[0.0, 1.0], [1.0, 0.0]]), chances)]
""",
    "reductions": "[k.losses.Reduction.all(), k.losses.Reduction.SUM]",
    "names": """
names = ("mse", "MSE", "mean_squared_error", "bce", "kld", "KLD", "mape", "msle", "mae", "huber",
         "log_cosh", "poisson", "hinge", "cosine_similarity", "circle", "dice", "ctc", "tversky")
result = [k.losses.get(name).__name__ for name in names]
""",
    "classes by name": "type(k.losses.get('CategoricalCrossentropy')).__name__",
    "by config": """
config = k.losses.serialize(k.losses.BinaryCrossentropy(from_logits=True, name="mine"))
result = [config, k.losses.deserialize(config).get_config()]
""",
    "functions by config": """
config = k.losses.serialize(k.losses.mse)
result = [config, k.losses.deserialize(config).__name__]
""",
    "none": "k.losses.get(None)",
    "unknown": "k.losses.get('foo')",
    "no loss": "k.losses.get(3)",
    "another reduction": "k.losses.MeanSquaredError(reduction='x')",
    "the base": "k.losses.Loss()([1.0], [1.0])",
    "other ranks": "k.losses.binary_crossentropy(tf.ones([2]), tf.ones([2, 3]))",
    "other shapes": "k.losses.categorical_crossentropy(tf.ones([2, 2]), tf.ones([2, 3]))",
    "other labels": "k.losses.sparse_categorical_crossentropy(tf.ones([2, 2]), tf.ones([2, 3]))",
    "other counts": "k.losses.sparse_categorical_crossentropy(tf.ones([3]), tf.ones([2, 3]))",
    "an axis": "k.losses.categorical_crossentropy(tf.ones([2, 2]), tf.ones([2, 2]), axis=True)",
    "q": "k.losses.CategoricalGeneralizedCrossEntropy(2.0)",
    "no sequences": "k.losses.ctc(tf.ones([2]), tf.ones([2, 3, 4]))",
    "a reduction": "k.losses.Reduction.validate('x')",
}
