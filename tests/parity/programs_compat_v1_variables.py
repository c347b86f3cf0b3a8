"""Variable scopes, templates and initializers of TensorFlow 1, eagerly and in graphs."""

V1 = "v1 = tf.compat.v1\n"
GRAPH = V1 + "graph = tf.Graph()\nwith graph.as_default():\n"
SCALED = V1 + (
    "def scaled(x, name):\n"
    "    return x * v1.get_variable(name, shape=[], initializer=v1.constant_initializer(1.5))\n"
)


def in_graph(*lines: str) -> str:
    """A program whose lines build a graph."""
    return GRAPH + "".join(f"    {line}\n" for line in lines)


PROGRAMS = [
    (
        "eagerly every call creates",
        V1
        + "a, b = v1.get_variable('a', [2]), v1.get_variable('a', [2])\n[a is b, a.name, b.name]",
    ),
    (
        "eagerly in a scope",
        V1
        + "with v1.variable_scope('s'):\n    a = v1.get_variable('a', initializer=1.0)\n"
        + "[a.name, a]",
    ),
    (
        "a default name repeats in a scope",
        in_graph(
            "names = []",
            "with v1.variable_scope('outer'):",
            "    for _ in range(3):",
            "        with v1.variable_scope(None, 'block') as scope:",
            "            names.append(scope.name)",
        )
        + "names",
    ),
    (
        "a scope that is opened again counts anew",
        in_graph(
            "names = []",
            "for _ in range(2):",
            "    with v1.variable_scope('outer'):",
            "        with v1.variable_scope(None, 'block') as scope:",
            "            names.append(scope.name)",
        )
        + "names",
    ),
    (
        "a name that was opened counts for default names",
        in_graph(
            "with v1.variable_scope('outer'):",
            "    with v1.variable_scope('block'):",
            "        pass",
            "    with v1.variable_scope(None, 'block') as scope:",
            "        pass",
        )
        + "scope.name",
    ),
    (
        "a scope entered by object keeps counting",
        in_graph(
            "names = []",
            "with v1.variable_scope('outer') as outer:",
            "    with v1.variable_scope(None, 'block') as scope:",
            "        names.append(scope.name)",
            "    with v1.variable_scope(outer):",
            "        with v1.variable_scope(None, 'block') as scope:",
            "            names.append(scope.name)",
            "    with v1.variable_scope(None, 'block') as scope:",
            "        names.append(scope.name)",
        )
        + "names",
    ),
    (
        "a function shares the variables of the graph around it",
        in_graph(
            "@tf.function",
            "def f():",
            "    with v1.variable_scope('s', reuse=v1.AUTO_REUSE):",
            "        return v1.get_variable('a', initializer=2.0)",
            "with v1.variable_scope('s'):",
            "    a = v1.get_variable('a', initializer=2.0)",
            "b = f()",
            "with v1.Session() as session:",
            "    session.run(v1.global_variables_initializer())",
            "    value = session.run(b)",
        )
        + "[value, len(graph.get_collection('variables'))]",
    ),
    (
        "regularization losses of a graph",
        in_graph(
            "a = v1.get_variable('a', initializer=[3.0], regularizer=tf.reduce_sum)",
            "losses = [t.name for t in v1.get_collection('regularization_losses')]",
        )
        + "losses",
    ),
    (
        "a template eagerly",
        SCALED
        + "t = v1.make_template('once', scaled, name='y')\n"
        + "a = t(tf.ones(2))\nb = t(tf.ones(2))\n[a, b, t.name, [v.name for v in t.variables]]",
    ),
    (
        "two templates eagerly",
        SCALED
        + "made = [v1.make_template('twice', scaled, name='y') for _ in range(2)]\n"
        + "called = [t(tf.ones(2)) for t in made]\n[v.name for t in made for v in t.variables]",
    ),
    (
        "a template in a graph",
        SCALED
        + "with tf.Graph().as_default():\n"
        + "    t = v1.make_template('scale', scaled, name='y')\n"
        + "    x = v1.placeholder(tf.float32, [2])\n"
        + "    names = [t(x).name, t(x).name, *(v.name for v in v1.global_variables())]\n"
        + "names",
    ),
    (
        "a template with its scope at once",
        SCALED
        + "with tf.Graph().as_default():\n"
        + "    t = v1.make_template('scale', scaled, create_scope_now_=True, name='y')\n"
        + "    with v1.variable_scope('elsewhere'):\n"
        + "        y = t(tf.ones(2))\n"
        + "    names = [v.name for v in t.trainable_variables]\n"
        + "names",
    ),
    (
        "a template creates no more after its first call",
        in_graph(
            "count = []",
            "def grow():",
            "    count.append(1)",
            "    return v1.get_variable(f'v{len(count)}', [])",
            "t = v1.make_template('grow', grow)",
            "t()",
            "t()",
        )
        + "1",
    ),
    (
        "checkpoints name a template's variables",
        SCALED
        + "import os, tempfile\n"
        + "t = v1.make_template('scale', scaled, name='y')\ny = t(1.0)\n"
        + "path = tf.train.Checkpoint(t=t).save(os.path.join(tempfile.mkdtemp(), 'c'))\n"
        + "[name for name, _ in tf.train.list_variables(path)]",
    ),
    (
        "initializers with a seed",
        V1
        + "tf.random.set_seed(1)\n"
        + "names = ['glorot_normal', 'glorot_uniform', 'he_normal', 'he_uniform', 'lecun_normal',\n"
        + "         'lecun_uniform', 'random_uniform', 'random_normal', 'truncated_normal',\n"
        + "         'uniform_unit_scaling']\n"
        + "[getattr(v1.initializers, name)(seed=3)([2, 3]) for name in names]",
    ),
    (
        "plain initializers",
        V1
        + "make = v1.initializers\n"
        + "[make.zeros()([2]), make.ones()([2], dtype=tf.int32), make.constant(3.0)([2]),\n"
        + " make.identity(2.0)([2, 3]), make.identity(dtype=tf.float64)([2, 2])]",
    ),
    (
        "an orthogonal initializer",
        V1
        + "q = v1.orthogonal_initializer(2.0, seed=1)([2, 3])\n"
        + "[tf.round(tf.matmul(q, q, transpose_b=True) * 1000) / 1000, q.shape]",
    ),
    ("an identity of three axes", V1 + "v1.initializers.identity()([2, 2, 2])"),
    ("an orthogonal vector", V1 + "v1.initializers.orthogonal()([2])"),
    (
        "equality by identity",
        V1
        + "v1.disable_tensor_equality()\n"
        + "try:\n"
        + "    a, b = tf.Variable(0.0), tf.constant(0.0)\n"
        + "    seen = [a == a, a == tf.Variable(0.0), b == tf.constant(0.0), b != b]\n"
        + "    seen.append({a: 1}[a])\n"
        + "finally:\n"
        + "    v1.enable_tensor_equality()\n"
        + "[seen, tf.constant(0.0) == tf.constant(0.0)]",
    ),
]
