"""Savers, MetaGraphs, SavedModels of sessions, checkpoints in sessions, learning rates."""

START = (
    "import os, tempfile\n"
    "v1 = tf.compat.v1\n"
    "folder = tempfile.mkdtemp()\n"
    "path = os.path.join(folder, 'model')\n"
    "def graph(a=1.0, b=2.0):\n"
    "    make = lambda name, value: v1.get_variable(name, initializer=value)\n"
    "    with v1.variable_scope('s'):\n"
    "        inner = make('b', b)\n"
    "    return make('a', a), inner\n"
    "def names(prefix):\n"
    "    return tf.train.list_variables(prefix)\n"
)
SAVED = START + (
    "with tf.Graph().as_default(), v1.Session() as session:\n"
    "    a, b = graph()\n"
    "    saver = v1.train.Saver()\n"
    "    session.run(v1.global_variables_initializer())\n"
    "    session.run(a.assign(5.0))\n"
    "    saved = saver.save(session, path)\n"
)
MODEL = START + (
    "with tf.Graph().as_default(), v1.Session() as session:\n"
    "    x = v1.placeholder(tf.float32, [None], name='x')\n"
    "    w = v1.get_variable('w', initializer=3.0)\n"
    "    y = tf.multiply(x, w, name='y')\n"
    "    session.run(v1.global_variables_initializer())\n"
    "    session.run(w.assign(4.0))\n"
)
STEP = "v1 = tf.compat.v1\nstep = tf.Variable(0)\nrate = v1.train.{}\nseen = []\n" + (
    "for i in [0, 1, 5, 10, 15, 40]:\n    step.assign(i)\n    seen.append(rate())\nseen"
)
RATES = {
    "exponential": "exponential_decay(0.1, step, 10, 0.5)",
    "exponential, in stairs": "exponential_decay(0.1, step, 10, 0.5, staircase=True)",
    "natural": "natural_exp_decay(0.1, step, 10, 0.5)",
    "inverse time": "inverse_time_decay(0.1, step, 10, 0.5)",
    "piecewise": "piecewise_constant(step, [4, 10], [1.0, 0.5, 0.1])",
    "polynomial": "polynomial_decay(0.1, step, 10, 0.01, power=2.0)",
    "polynomial, in cycles": "polynomial_decay(0.1, step, 10, 0.01, cycle=True)",
    "cosine": "cosine_decay(0.1, step, 10, alpha=0.1)",
    "cosine with restarts": "cosine_decay_restarts(0.1, step, 10, t_mul=2.0, m_mul=0.5)",
    "cosine with equal restarts": "cosine_decay_restarts(0.1, step, 10, t_mul=1.0)",
    "linear cosine": "linear_cosine_decay(0.1, step, 10)",
}

PROGRAMS = [
    (
        "a saver in a session",
        SAVED + "[os.path.basename(saved), sorted(os.listdir(folder)), names(path)]",
    ),
    (
        "a saver restores in a session",
        SAVED
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    a, b = graph(0.0, 0.0)\n"
        + "    v1.train.Saver().restore(session, path)\n"
        + "    values = session.run([a, b])\n"
        + "values",
    ),
    (
        "a saver with other names",
        SAVED
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    v = v1.get_variable('new', initializer=0.0)\n"
        + "    v1.train.Saver({'a': v}).restore(session, path)\n"
        + "    value = session.run(v)\n"
        + "value",
    ),
    (
        "a saver eagerly",
        START
        + "v, w = tf.Variable(1.0, name='v'), tf.Variable([2, 3], name='w')\n"
        + "saver = v1.train.Saver([v, w])\n"
        + "saved = saver.save(None, path, global_step=7)\n"
        + "v.assign(9.0)\nsaver.restore(None, saved)\n"
        + "[os.path.basename(saved), names(saved), v, tf.train.latest_checkpoint(folder) == saved]",
    ),
    (
        "old checkpoints are deleted",
        START
        + "v = tf.Variable(1.0, name='v')\n"
        + "saver = v1.train.Saver([v], max_to_keep=2)\n"
        + "for i in range(4):\n    saver.save(None, path, global_step=i)\n"
        + "[sorted(os.listdir(folder)), [os.path.basename(p) for p in saver.last_checkpoints]]",
    ),
    (
        "padded steps",
        START
        + "saver = v1.train.Saver([tf.Variable(1.0, name='v')], pad_step_number=True)\n"
        + "os.path.basename(saver.save(None, path, global_step=3))",
    ),
    (
        "a missing variable",
        SAVED + "v1.train.Saver([tf.Variable(0.0, name='other')]).restore(None, path)",
    ),
    (
        "another shape",
        SAVED + "v1.train.Saver([tf.Variable([0.0, 0.0], name='a')]).restore(None, path)",
    ),
    (
        "another shape of the same size",
        SAVED
        + "v = tf.Variable([0.0], name='a')\n"
        + "v1.train.Saver([v], reshape=True).restore(None, path)\nv",
    ),
    ("another dtype", SAVED + "v1.train.Saver([tf.Variable(0, name='a')]).restore(None, path)"),
    ("no checkpoint", START + "v1.train.Saver([tf.Variable(0.0)]).restore(None, path)"),
    ("no path", START + "v1.train.Saver([tf.Variable(0.0)]).restore(None, None)"),
    ("no variables eagerly", START + "v1.train.Saver()"),
    ("no variables in a graph", START + "with tf.Graph().as_default():\n    v1.train.Saver()\n1"),
    (
        "restoring a checkpoint of objects by name",
        START
        + "saved = tf.train.Checkpoint(v=tf.Variable(3.0, name='deep/v')).save(path)\n"
        + "v = tf.Variable(0.0, name='deep/v')\n"
        + "v1.train.Saver([v]).restore(None, saved)\nv",
    ),
    (
        "objects restore a checkpoint of a saver",
        SAVED
        + "a, b = tf.Variable(0.0, name='a'), tf.Variable(0.0, name='s/b')\n"
        + "tf.train.Checkpoint(v=[a, b]).restore(path)\n[a, b]",
    ),
    (
        "a checkpoint of objects in a session",
        START
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    a, b = graph()\n"
        + "    session.run(v1.global_variables_initializer())\n"
        + "    c = tf.train.Checkpoint(a=a, rest=[b])\n"
        + "    saved = [c.save(path), c.save(path)][1]\n"
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    a, b = graph(0.0, 0.0)\n"
        + "    session.run(v1.global_variables_initializer())\n"
        + "    status = tf.train.Checkpoint(a=a, rest=[b]).restore(saved).assert_consumed()\n"
        + "    before = session.run([a, b])\n"
        + "    status.run_restore_ops()\n"
        + "    values = session.run([a, b])\n"
        + "[os.path.basename(saved), names(saved), before, values]",
    ),
    (
        "initializing or restoring in a session",
        START
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    a, b = graph()\n"
        + "    session.run(v1.global_variables_initializer())\n"
        + "    saved = tf.train.Checkpoint(a=a).save(path)\n"
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    a, b = graph(7.0, 8.0)\n"
        + "    tf.train.Checkpoint(a=a, b=b).restore(saved).initialize_or_restore()\n"
        + "    values = session.run([a, b])\n"
        + "values",
    ),
    (
        "variables start with a checkpoint",
        SAVED
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    with v1.variable_scope('new'):\n"
        + "        a, b = graph(0.0, 0.0)\n"
        + "    v1.train.init_from_checkpoint(path, {'/': 'new/'})\n"
        + "    session.run(v1.global_variables_initializer())\n"
        + "    values = session.run([a, b])\n"
        + "values",
    ),
    (
        "one variable starts with a checkpoint",
        SAVED
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    a, b = graph(0.0, 0.0)\n"
        + "    v1.train.init_from_checkpoint(path, {'a': b})\n"
        + "    session.run(v1.global_variables_initializer())\n"
        + "    values = session.run([a, b])\n"
        + "values",
    ),
    (
        "a checkpoint lacks a tensor",
        SAVED
        + "with tf.Graph().as_default():\n"
        + "    a, b = graph()\n"
        + "    v1.train.init_from_checkpoint(path, {'none': a})\n"
        + "1",
    ),
    (
        "a graph is exported and imported",
        MODEL
        + "    v1.train.export_meta_graph(path + '.meta', as_text=True)\n"
        + "    v1.train.Saver().save(session, path, write_meta_graph=False)\n"
        + "with tf.Graph().as_default() as other, v1.Session() as session:\n"
        + "    v1.train.import_meta_graph(path + '.meta').restore(session, path)\n"
        + "    value = session.run('y:0', {'x:0': [5.0]})\n"
        + "    found = [v.name for v in v1.trainable_variables()]\n"
        + "[value, found]",
    ),
    (
        "a graph is imported into a function",
        MODEL
        + "    v1.train.Saver().save(session, path)\n"
        + "def imported():\n    v1.train.import_meta_graph(path + '.meta')\n"
        + "wrapped = v1.wrap_function(imported, [])\n"
        + "v1.train.Saver(wrapped.variables).restore(None, path)\n"
        + "f = wrapped.prune('x:0', 'y:0')\n"
        + "[f(tf.constant([2.0])), [v.name for v in wrapped.variables]]",
    ),
    ("no graph to import", START + "v1.train.import_meta_graph(path + '.meta')"),
    (
        "a model of a session",
        MODEL
        + "    v1.saved_model.simple_save(session, path, {'given': x}, {'out': y})\n"
        + "loaded = tf.saved_model.load(path)\n"
        + "serve = loaded.signatures['serving_default']\n"
        + "[serve(given=tf.constant([1.0, 2.0])), len(loaded.variables)]",
    ),
    (
        "a model is loaded into a session",
        MODEL
        + "    builder = v1.saved_model.Builder(path)\n"
        + "    signature = v1.saved_model.predict_signature_def({'given': x}, {'out': y})\n"
        + "    builder.add_meta_graph_and_variables(session, ['serve', 'mine'], {'f': signature})\n"
        + "    builder.save()\n"
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    meta = v1.saved_model.load(session, ['mine', 'serve'], path)\n"
        + "    f = meta.signature_def['f']\n"
        + "    value = session.run(f.outputs['out'].name, {f.inputs['given'].name: [3.0]})\n"
        + "found = v1.saved_model.contains_saved_model(path)\n"
        + "[value, v1.saved_model.is_valid_signature(f), found]",
    ),
    (
        "unknown tags",
        MODEL
        + "    v1.saved_model.simple_save(session, path, {'given': x}, {'out': y})\n"
        + "with tf.Graph().as_default(), v1.Session() as session:\n"
        + "    v1.saved_model.load(session, ['other'], path)\n"
        + "1",
    ),
    (
        "a folder that is not empty",
        START + "open(path, 'w').close()\nv1.saved_model.Builder(folder)",
    ),
    *((f"learning rate: {name}", STEP.format(call)) for name, call in RATES.items()),
    (
        "a learning rate in a graph",
        "v1 = tf.compat.v1\n"
        "with tf.Graph().as_default(), v1.Session() as session:\n"
        "    step = v1.train.get_or_create_global_step()\n"
        "    rate = v1.train.polynomial_decay(0.1, step, 10, 0.0)\n"
        "    w = v1.get_variable('w', initializer=1.0)\n"
        "    train = v1.train.GradientDescentOptimizer(rate).minimize(w, global_step=step)\n"
        "    session.run(v1.global_variables_initializer())\n"
        "    seen = [session.run([train, rate, w])[1:] for _ in range(3)]\n"
        "    last = session.run([w, step, rate])\n"
        "last",
    ),
    (
        "a learning rate without steps",
        "with tf.Graph().as_default():\n"
        "    tf.compat.v1.train.exponential_decay(0.1, None, 1, 0.5)\n1",
    ),
]
