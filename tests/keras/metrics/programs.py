"""Metrics over several batches, with and without weights; functions, configs, what is refused."""

from __future__ import annotations

# Two batches of labels and predictions.
NUMBERS = (
    ("[[1.0, -0.5, 2.0], [0.25, 0.0, 3.0]]", "[[0.5, 0.5, 2.5], [0.3, -0.1, 1.0]]"),
    ("[[2.0, 0.5, -1.0], [0.5, 1.0, 2.0]]", "[[1.5, 0.0, -2.0], [0.5, 1.1, 1.0]]"),
)
POSITIVE = (
    ("[[1.0, 0.5, 2.0], [0.25, 0.0, 3.0]]", "[[0.5, 0.5, 2.5], [0.3, 0.1, 1.0]]"),
    ("[[2.0, 0.5, 1.0], [0.5, 1.0, 2.0]]", "[[1.5, 0.25, 2.0], [0.5, 1.1, 1.0]]"),
)
VALUES = (
    ("[1, 0, 1, 1]", "[0.9, 0.4, 0.5, 0.1]"),
    ("[0, 1, 0, 1]", "[0.0, 1.0, 0.75, 0.6]"),
)
BINARY = (
    ("[[1, 0, 1], [0, 0, 1]]", "[[0.9, 0.2, 0.4], [0.0, 0.6, 1.0]]"),
    ("[[0, 1, 1], [1, 0, 0]]", "[[0.3, 0.7, 0.5], [0.8, 0.55, 0.1]]"),
)
SHARES = (
    ("[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]", "[[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]"),
    ("[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]", "[[0.3, 0.6, 0.1], [0.2, 0.3, 0.5]]"),
)
CLASSES = (
    ("[0, 2]", "[[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]"),
    ("[1, 2]", "[[0.3, 0.6, 0.1], [0.2, 0.3, 0.5]]"),
)
EQUAL = (("[1.0, 2.0, 3.0]", "[1.0, 0.0, 3.0]"), ("[4.0, 0.0, 1.0]", "[4.0, 0.0, 2.0]"))
REGIONS = (("[0, 1, 2, 2]", "[0, 2, 2, 1]"), ("[1, 1, 0, 2]", "[1, 0, 0, 2]"))

MADE = {
    "Accuracy()": EQUAL,
    "BinaryAccuracy()": BINARY,
    "BinaryAccuracy(threshold=0.65)": VALUES,
    "CategoricalAccuracy()": SHARES,
    "SparseCategoricalAccuracy()": CLASSES,
    "TopKCategoricalAccuracy(k=2)": SHARES,
    "SparseTopKCategoricalAccuracy(k=2)": CLASSES,
    "MeanSquaredError()": NUMBERS,
    "RootMeanSquaredError()": NUMBERS,
    "MeanAbsoluteError()": NUMBERS,
    "MeanAbsolutePercentageError()": NUMBERS,
    "MeanSquaredLogarithmicError()": POSITIVE,
    "CosineSimilarity()": NUMBERS,
    "CosineSimilarity(axis=1)": NUMBERS,
    "LogCoshError()": NUMBERS,
    "R2Score()": NUMBERS,
    "R2Score(None)": NUMBERS,
    "R2Score('variance_weighted_average')": NUMBERS,
    "R2Score(num_regressors=2)": NUMBERS,
    "PearsonCorrelation()": NUMBERS,
    "ConcordanceCorrelation()": NUMBERS,
    "Hinge()": BINARY,
    "SquaredHinge()": BINARY,
    "CategoricalHinge()": SHARES,
    "KLDivergence()": SHARES,
    "Poisson()": POSITIVE,
    "BinaryCrossentropy()": BINARY,
    "BinaryCrossentropy(from_logits=True, label_smoothing=0.1)": BINARY,
    "CategoricalCrossentropy()": SHARES,
    "CategoricalCrossentropy(from_logits=True)": SHARES,
    "SparseCategoricalCrossentropy()": CLASSES,
    "SparseCategoricalCrossentropy(from_logits=True)": CLASSES,
    "MeanMetricWrapper(k.losses.mae, name='mine')": NUMBERS,
    "TruePositives()": VALUES,
    "TruePositives([0.2, 0.6])": VALUES,
    "FalsePositives()": BINARY,
    "FalsePositives(0.3)": VALUES,
    "TrueNegatives()": VALUES,
    "TrueNegatives([0.0, 0.5, 1.0])": VALUES,
    "FalseNegatives()": VALUES,
    "FalseNegatives([0.1, 0.9])": VALUES,
    "Precision()": VALUES,
    "Precision([0.3, 0.7])": BINARY,
    "Precision(top_k=2)": BINARY,
    "Precision(class_id=1)": BINARY,
    "Precision(top_k=2, class_id=0)": BINARY,
    "Recall()": VALUES,
    "Recall([0.0, 0.25, 0.5, 0.75, 1.0])": VALUES,
    "Recall(top_k=1)": BINARY,
    "Recall(class_id=2)": BINARY,
    "SensitivityAtSpecificity(0.5)": VALUES,
    "SensitivityAtSpecificity(0.5, num_thresholds=1)": VALUES,
    "SpecificityAtSensitivity(0.4, num_thresholds=5)": VALUES,
    "PrecisionAtRecall(0.7)": VALUES,
    "RecallAtPrecision(0.6)": BINARY,
    "RecallAtPrecision(0.6, class_id=0)": BINARY,
    "AUC()": VALUES,
    "AUC(num_thresholds=5)": VALUES,
    "AUC(curve='PR')": VALUES,
    "AUC(curve='PRGAIN')": VALUES,
    "AUC(summation_method='majoring')": VALUES,
    "AUC(curve='PR', summation_method='minoring')": VALUES,
    "AUC(thresholds=[0.3, 0.5])": VALUES,
    "AUC(thresholds=[0.5])": BINARY,
    "AUC(multi_label=True)": BINARY,
    "AUC(multi_label=True, num_labels=3, label_weights=[0.2, 0.3, 0.5], curve='PR')": BINARY,
    "AUC(multi_label=True, thresholds=[0.3, 0.45])": BINARY,
    "AUC(label_weights=[0.2, 0.3, 0.5])": BINARY,
    "AUC(from_logits=True)": VALUES,
    "F1Score()": BINARY,
    "F1Score('micro', 0.5)": BINARY,
    "F1Score('macro')": BINARY,
    "FBetaScore('weighted', 2.0, 0.3)": BINARY,
    "IoU(3, [0, 2])": REGIONS,
    "IoU(3, [1], ignore_class=2)": REGIONS,
    "BinaryIoU()": VALUES,
    "BinaryIoU([1], 0.3)": VALUES,
    "MeanIoU(3)": REGIONS,
    "OneHotIoU(3, [0, 2])": SHARES,
    "OneHotMeanIoU(3)": SHARES,
}
CLASS = """
metric = k.metrics.{made}
result = []
for weighted in (False, True):
    for y_true, y_pred in (({first[0]}, {first[1]}), ({second[0]}, {second[1]})):
        y_true, y_pred = tf.constant(y_true), tf.constant(y_pred)
        weights = tf.range(1, len(y_pred) + 1) if weighted else None
        if weighted and "int" not in metric.dtype:
            weights = tf.cast(weights, tf.float32)
        result.append(np.array(metric(y_true, y_pred, sample_weight=weights)))
    result.append([variable.numpy() for variable in metric.variables])
    metric.reset_state()
result += [[variable.numpy() for variable in metric.variables], metric.name]
"""
CONFIG = """
result = {{key: value for key, value in k.metrics.{made}.get_config().items() if key != "name"}}
"""
# Their configs say more than Keras', which forgets an argument.
RICHER = ("CosineSimilarity", "MeanMetricWrapper", "SparseTopKCategoricalAccuracy")

FUNCTIONS = {
    "binary_accuracy": BINARY[0],
    "categorical_accuracy": SHARES[0],
    "sparse_categorical_accuracy": CLASSES[0],
    "top_k_categorical_accuracy": SHARES[0],
    "sparse_top_k_categorical_accuracy": CLASSES[0],
    "pearson_correlation": NUMBERS[0],
    "concordance_correlation": NUMBERS[0],
}
REDUCED = """
result = []
for values, weights in (
    ([1.0, 3.0, 5.0, 7.0], None),
    ([1.0, 3.0, 5.0, 7.0], [1.0, 1.0, 0.0, 0.0]),
    ([[1.0, 3.0], [5.0, 7.0]], None),
    ([[1.0, 3.0], [5.0, 7.0]], [0.5, 0.25]),
    ([[1.0, 3.0], [5.0, 7.0]], [[0.5, 0.25], [1.0, 0.0]]),
    ([[1.0], [5.0]], [0.5, 0.25]),
    (4.0, None),
    (4.0, 0.5),
    ([[[1.0, 2.0], [3.0, 4.0]]], [[0.5, 1.0]]),
):
    metric = k.metrics.{made}()
    values = tf.constant(values)
    weights = None if weights is None else tf.constant(weights)
    result += [metric(values, weights), metric(values)]
"""
PROGRAMS = {
    **{
        made: CLASS.format(made=made, first=first, second=second)
        for made, (first, second) in MADE.items()
    },
    **{
        f"config of {made}": CONFIG.format(made=made)
        for made in MADE
        if not made.startswith(RICHER) and "label_weights" not in made
    },
    **{
        name: f"k.metrics.{name}(tf.constant({true}), tf.constant({pred})"
        + (", k=2)" if "top_k" in name else ")")
        for name, (true, pred) in FUNCTIONS.items()
    },
    **{made: REDUCED.format(made=made) for made in ("Mean", "Sum")},
    "half precision": "[k.metrics.Mean(dtype='float16')([1.0, 2.0]), k.metrics.Mean().dtype]",
    "accuracy of columns": """
result = [k.metrics.sparse_categorical_accuracy(tf.constant([[0], [2]]), tf.constant(
              [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]])),
          k.metrics.sparse_categorical_accuracy(tf.constant([[0, 1]]), tf.constant(
              [[[0.7, 0.3], [0.1, 0.9]]])),
          k.metrics.categorical_accuracy(tf.constant([[[0.0, 1.0]]]), tf.constant([[[0.7, 0.3]]])),
          k.metrics.top_k_categorical_accuracy(tf.constant([[[0.0, 1.0]]]),
                                               tf.constant([[[0.7, 0.3]]]), k=1)]
""",
    "sorted numbers": """
metric = k.metrics.SparseTopKCategoricalAccuracy(k=2, from_sorted_ids=True)
result = metric(tf.constant([2, 1]), tf.constant([[1, 0, 2], [1, 2, 0]]))
""",
    "a mask": """
metric = k.metrics.MeanSquaredError()
y_true = tf.constant([[[1.0]], [[2.0]], [[4.0]]])
y_pred = k.layers.Masking()(tf.constant([[[0.5]], [[1.0]], [[0.0]]]))
result = [metric(y_true, y_pred), metric(y_true, y_pred, tf.constant([1.0, 3.0, 2.0]))]
""",
    "without state": """
metric = k.metrics.Mean()
metric.update_state(tf.constant([5.0]))
values = metric.stateless_update_state(metric.stateless_reset_state(), tf.constant([1.0, 2.0]))
result = [values, metric.stateless_result(values), metric.result()]
""",
    "whole numbers": """
result = []
for name in ("MeanSquaredError", "MeanAbsoluteError", "RootMeanSquaredError", "BinaryAccuracy"):
    result.append(getattr(k.metrics, name)()([[0, 1], [0, 0]], [[1, 1], [0, 0]]))
""",
    "texts": "k.metrics.Accuracy()(tf.constant(['a', 'b']), tf.constant(['a', 'c']))",
    "thresholds": "k.metrics.AUC(num_thresholds=4).thresholds",
    "names": """
names = ("mse", "MSE", "mean_squared_error", "bce", "auc", "AUC", "precision", "Recall", "accuracy",
         "io_u", "r2_score", "f1_score", "mean_io_u", "top_k_categorical_accuracy", "sum")
found = []
for name in names:
    try:
        found.append(type(k.metrics.get(name)).__name__)
    except Exception as error:
        found.append(type(error).__name__)
result = found
""",
    "by config": """
config = k.metrics.serialize(k.metrics.AUC(curve="PR", name="mine"))
result = [config, k.metrics.deserialize(config).get_config()]
""",
    "variables": "[v.path for v in k.metrics.Precision(name='p').variables]",
    "shown": "repr(k.metrics.Mean(name='m'))",
    "none": "k.metrics.get(None)",
    "unknown": "k.metrics.get('foo')",
    "no metric": "k.metrics.get(3)",
    "the base": "k.metrics.Metric().update_state(1)",
    "no result": "k.metrics.Metric().result()",
    "too few values": "k.metrics.Mean().stateless_result([])",
    "a threshold": "k.metrics.Precision(thresholds=[0.5, 2.0])",
    "a curve": "k.metrics.AUC(curve='x')",
    "a method": "k.metrics.AUC(summation_method='x')",
    "thresholds of AUC": "k.metrics.AUC(num_thresholds=1)",
    "labels": "k.metrics.AUC(num_labels=3)",
    "a vector of labels": "k.metrics.AUC(multi_label=True)(tf.ones([2]), tf.ones([2]))",
    "a class of a vector": "k.metrics.Precision(class_id=1)(tf.ones([2]), tf.ones([2]))",
    "a specificity": "k.metrics.SensitivityAtSpecificity(2.0)",
    "a recall": "k.metrics.PrecisionAtRecall(-1.0)",
    "no thresholds": "k.metrics.PrecisionAtRecall(0.5, num_thresholds=0)",
    "an average": "k.metrics.F1Score(average='x')",
    "a beta": "k.metrics.FBetaScore(beta=-1.0)",
    "a whole beta": "k.metrics.FBetaScore(beta=1)",
    "a limit": "k.metrics.FBetaScore(threshold=2.0)",
    "a score of a vector": "k.metrics.F1Score()(tf.ones([2]), tf.ones([2]))",
    "an aggregation": "k.metrics.R2Score('x')",
    "regressors": "k.metrics.R2Score(num_regressors=-1)",
    "a vector of numbers": "k.metrics.R2Score()(tf.ones([2]), tf.ones([2]))",
    "a class": "k.metrics.IoU(2, [2])",
}
