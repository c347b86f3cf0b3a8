"""`tf.compat.v1.losses`: values, collections and errors."""

START = (
    "v1 = tf.compat.v1\n"
    "labels = tf.constant([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])\n"
    "logits = tf.constant([[0.5, -1.0, 2.0], [0.1, 0.2, 0.3]])\n"
    "given = tf.constant([[0.9, 0.2, 0.6], [0.3, 0.5, 0.1]])\n"
    "weights = tf.constant([[1.0], [0.5]])\n"
    "R = v1.losses.Reduction\n"
)
CALLS = {
    "absolute difference": "absolute_difference(labels, given{})",
    "cosine distance": "cosine_distance(labels, given, axis=1{})",
    "hinge": "hinge_loss(labels, logits{})",
    "huber": "huber_loss(labels, given, delta=0.3{})",
    "log": "log_loss(labels, given{})",
    "squares": "mean_squared_error(labels, given{})",
    "sigmoid": "sigmoid_cross_entropy(labels, logits, label_smoothing=0.1{})",
}
ROWS = {
    "softmax": "softmax_cross_entropy(labels, logits, label_smoothing=0.1{})",
    "sparse softmax": "sparse_softmax_cross_entropy([1, 2], logits{})",
    "sparse softmax of a column": "sparse_softmax_cross_entropy([[1], [2]], logits{})",
}
REDUCTIONS = "[R.NONE, R.SUM, R.MEAN, R.SUM_OVER_BATCH_SIZE, R.SUM_OVER_NONZERO_WEIGHTS]"

PROGRAMS = [
    *(
        (
            name,
            START
            + f"[v1.losses.{call.format('')}, v1.losses.{call.format(', weights=weights')},\n"
            + f" v1.losses.{call.format(', weights=0.0')}]",
        )
        for name, call in CALLS.items()
    ),
    *(
        (
            name,
            START
            + f"[v1.losses.{call.format('')},\n"
            + f" v1.losses.{call.format(', weights=tf.constant([1.0, 0.5])')}]",
        )
        for name, call in ROWS.items()
    ),
    (
        "all reductions",
        START
        + "def reduced(r):\n"
        + "    return v1.losses.mean_squared_error(labels, given, weights, reduction=r)\n"
        + f"[reduced(r) for r in {REDUCTIONS}]",
    ),
    # Eagerly, TensorFlow counts the elements of the whole batch if weights are a scalar.
    (
        "pairs",
        START
        + "pairs = v1.losses.mean_pairwise_squared_error\n"
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    l, g, w = (tf.constant(x.numpy()) for x in (labels, given, weights))\n"
        + "    values = session.run([pairs(l, g), pairs(l, g, w), pairs(l, g, 0.0)])\n"
        + "values",
    ),
    ("the dtype of losses", START + "v1.losses.compute_weighted_loss(tf.constant([1, 2]))"),
    (
        "collections",
        START
        + "with tf.Graph().as_default():\n"
        + "    x = v1.placeholder(tf.float32, [2])\n"
        + "    a = v1.losses.mean_squared_error(x, [1.0, 2.0])\n"
        + "    b = v1.losses.absolute_difference(x, [1.0, 2.0], scope='mine')\n"
        + "    v1.losses.add_loss(x[0])\n"
        + "    total = v1.losses.get_total_loss()\n"
        + "    none = v1.losses.get_regularization_loss()\n"
        + "    names = [t.name for t in v1.losses.get_losses()]\n"
        + "    with v1.Session() as session:\n"
        + "        values = session.run([total, none], {x: [3.0, 5.0]})\n"
        + "[values, len(names), len(v1.losses.get_losses())]",
    ),
    (
        "a loss is trained",
        START
        + "with tf.Graph().as_default():\n"
        + "    w = v1.get_variable('w', [2], initializer=v1.zeros_initializer())\n"
        + "    loss = v1.losses.mean_squared_error([1.0, 2.0], w)\n"
        + "    step = v1.train.GradientDescentOptimizer(0.5).minimize(loss)\n"
        + "    with v1.Session() as session:\n"
        + "        session.run(v1.global_variables_initializer())\n"
        + "        session.run(step)\n"
        + "        value = session.run(w)\n"
        + "value",
    ),
    ("no labels", START + "v1.losses.mean_squared_error(None, given)"),
    ("shapes that differ", START + "v1.losses.mean_squared_error(labels, given[0])"),
    ("an unknown reduction", START + "v1.losses.mean_squared_error(labels, given, reduction='x')"),
    ("weights of another shape", START + "v1.losses.mean_squared_error(labels, given, [1.0, 2.0])"),
    ("no axis", START + "v1.losses.cosine_distance(labels, given)"),
]
