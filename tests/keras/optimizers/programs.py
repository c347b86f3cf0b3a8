"""Ten steps of each optimizer, with its options; schedules at several steps."""

from __future__ import annotations

OPTIMIZERS = {
    "sgd": "SGD(0.1)",
    "sgd momentum": "SGD(0.1, momentum=0.9)",
    "sgd nesterov": "SGD(0.1, momentum=0.9, nesterov=True)",
    "sgd clipnorm": "SGD(0.1, clipnorm=0.5)",
    "sgd clipvalue": "SGD(0.1, clipvalue=0.3)",
    "sgd global clipnorm": "SGD(0.1, global_clipnorm=0.5)",
    "sgd weight decay": "SGD(0.1, weight_decay=0.1)",
    "sgd averages": "SGD(0.1, use_ema=True, ema_momentum=0.7, ema_overwrite_frequency=3)",
    "sgd accumulation": "SGD(0.1, momentum=0.5, gradient_accumulation_steps=3, clipnorm=0.4)",
    "sgd accumulation averages": (
        "SGD(0.1, gradient_accumulation_steps=2, use_ema=True, ema_momentum=0.5)"
    ),
    "sgd schedule": "SGD(k.optimizers.schedules.ExponentialDecay(0.1, 3, 0.5), momentum=0.5)",
    "adam": "Adam(0.1)",
    "adam amsgrad": "Adam(0.1, beta_1=0.5, beta_2=0.6, amsgrad=True)",
    "adam options": "Adam(0.1, beta_1=0.8, beta_2=0.9, epsilon=0.1, clipvalue=0.4)",
    "adam weight decay": "Adam(0.1, weight_decay=0.05)",
    "adamw": "AdamW(0.1, weight_decay=0.1)",
    "adamw averages": "AdamW(0.1, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=4)",
    "adamax": "Adamax(0.1)",
    "nadam": "Nadam(0.1)",
    "nadam accumulation": "Nadam(0.1, gradient_accumulation_steps=2)",
    "rmsprop": "RMSprop(0.1)",
    "rmsprop momentum": "RMSprop(0.1, rho=0.8, momentum=0.6)",
    "rmsprop centered": "RMSprop(0.1, rho=0.8, centered=True)",
    "rmsprop all": "RMSprop(0.1, rho=0.8, momentum=0.6, centered=True, epsilon=0.01)",
    "adagrad": "Adagrad(0.5)",
    "adagrad options": "Adagrad(0.5, initial_accumulator_value=1.0, epsilon=0.1)",
    "adadelta": "Adadelta(1.0)",
    "adadelta options": "Adadelta(1.0, rho=0.8, epsilon=0.01)",
    "adafactor": "Adafactor(0.5)",
    "adafactor options": (
        "Adafactor(0.5, beta_2_decay=-0.5, epsilon_2=0.01, clip_threshold=0.5, relative_step=False)"
    ),
    "ftrl": "Ftrl(0.5)",
    "ftrl options": (
        "Ftrl(0.5, learning_rate_power=-0.6, l1_regularization_strength=0.1, "
        "l2_regularization_strength=0.2, l2_shrinkage_regularization_strength=0.1, beta=0.3)"
    ),
    "lion": "Lion(0.1)",
    "lion weight decay": "Lion(0.1, beta_1=0.8, beta_2=0.7, weight_decay=0.1)",
    "lamb": "Lamb(0.1)",
    "muon": "Muon(0.1)",
    "muon options": (
        "Muon(0.1, momentum=0.8, ns_steps=3, nesterov=False, rms_rate=None, adam_lr_ratio=0.5)"
    ),
    "muon excluded": "Muon(0.1, exclude_layers=['matrix'])",
    "schedule free": "ScheduleFreeAdamW(0.1)",
    "schedule free warmup": "ScheduleFreeAdamW(0.1, warmup_steps=4, beta_1=0.8)",
    "loss scale": (
        "LossScaleOptimizer(k.optimizers.Adam(0.1), initial_scale=4.0, dynamic_growth_steps=3)"
    ),
}

MULTI = """
inner = [k.optimizers.Adam(0.1), k.optimizers.SGD(0.2, momentum=0.5)]
optimizer = k.optimizers.MultiOptimizer(k.optimizers.OptimizerMap(inner[0], {".*bias": inner[1]}))
variables = [k.Variable([1.0, 2.0], name="kernel"), k.Variable([1.0], name="a_bias"),
             k.Variable([3.0], name="b_bias")]
for step in range(4):
    optimizer.apply([tf.constant([0.5, -1.0]), tf.constant([1.0]), tf.constant([-2.0])], variables)
result = [[v.numpy() for v in variables], [v.path.split("/")[1] for v in optimizer.variables],
          [v.numpy() for v in optimizer.variables], optimizer.iterations.numpy()]
"""
DENSE = """
optimizer = k.optimizers.{make}
variables = [
    k.Variable([[0.5, -1.0], [2.0, 0.1], [1.0, 1.5]], name="matrix"),
    tf.Variable([1.0, -2.0]),
    tf.Variable(3.0),
]
result = []
for step in range(10):
    gradients = [
        tf.constant(np.sin(np.arange(6.0) + step).reshape(3, 2), tf.float32),
        tf.constant([0.1 * (step + 1), -0.3], tf.float32),
        tf.constant(np.cos(step), tf.float32),
    ]
    optimizer.apply_gradients(zip(gradients, variables))
    if step in (0, 4, 9):
        result += [variable.numpy() for variable in variables]
result.append([variable.numpy() for variable in optimizer.variables])
optimizer.finalize_variable_values(variables)
result.append([variable.numpy() for variable in variables])
"""

# Row 1 comes twice.
SPARSE = """
optimizer = k.optimizers.{make}
variables = [k.Variable([[0.5, -1.0], [2.0, 0.1], [1.0, 1.5], [0.0, 1.0]], name="matrix")]
result = []
for step in range(5):
    rows = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]) * (0.1 * (step + 1))
    gradient = tf.IndexedSlices(rows, tf.constant([1, 1, 3]), tf.constant([4, 2]))
    optimizer.apply_gradients([(gradient, variables[0])])
    result.append(variables[0].numpy())
"""
NOT_SPARSE = ("loss scale",)

SCHEDULES = (
    "ExponentialDecay(0.1, 10, 0.5)",
    "ExponentialDecay(0.1, 10, 0.5, staircase=True)",
    "PiecewiseConstantDecay([5, 10], [1.0, 0.5, 0.1])",
    "PiecewiseConstantDecay([5.5], [1, 2])",
    "PolynomialDecay(0.1, 10, 0.01, 2.0)",
    "PolynomialDecay(0.1, 10, 0.01, 0.5, cycle=True)",
    "InverseTimeDecay(0.1, 10, 0.5)",
    "InverseTimeDecay(0.1, 10, 0.5, True)",
    "CosineDecay(0.1, 10, 0.2)",
    "CosineDecay(0.1, 10, 0.2, warmup_target=0.5, warmup_steps=5)",
    "CosineDecay(0.0, 10, warmup_target=0.5, warmup_steps=5)",
    "CosineDecayRestarts(0.1, 5, 1.5, 0.9, 0.1)",
    "CosineDecayRestarts(0.1, 5, 1.0, 0.9, 0.1)",
)

SCHEDULE = """
schedule = k.optimizers.schedules.{make}
result = [schedule(step) for step in (0, 1, 4, 5, 6, 10, 11, 23)]
result += [schedule(tf.constant(3, tf.int64)), schedule.get_config()]
"""

PROGRAMS = {
    **{name: DENSE.format(make=make) for name, make in OPTIMIZERS.items()},
    **{
        f"{name}, sparse": SPARSE.format(make=make)
        for name, make in OPTIMIZERS.items()
        if name not in NOT_SPARSE
    },
    "several optimizers": MULTI,
    **{make: SCHEDULE.format(make=make) for make in SCHEDULES},
    **{
        f"config of {name}": (
            f"{{key: value for key, value in k.optimizers.{make}.get_config().items()"
            " if key not in ('name', 'inner_optimizer')}"
        )
        for name, make in OPTIMIZERS.items()
    },
}
