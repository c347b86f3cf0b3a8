"""TensorFlow Probability: what its users do. One line for each job that works."""

import traceback

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
import tf_keras as keras

tfd, tfb = tfp.distributions, tfp.bijectors
tf.random.set_seed(1)


def distributions():
    cases = [
        tfd.Normal(0.0, 1.0),
        tfd.LogNormal(0.0, 1.0),
        tfd.Gamma(2.0, 3.0),
        tfd.Beta(2.0, 3.0),
        tfd.Exponential(2.0),
        tfd.Laplace(0.0, 1.0),
        tfd.Cauchy(0.0, 1.0),
        tfd.StudentT(3.0, 0.0, 1.0),
        tfd.Uniform(0.0, 2.0),
        tfd.Weibull(2.0, 1.0),
        tfd.VonMises(0.0, 2.0),
        tfd.Gumbel(0.0, 1.0),
        tfd.HalfNormal(1.0),
        tfd.InverseGamma(3.0, 2.0),
        tfd.Bernoulli(0.3, dtype=tf.float32),
        tfd.Poisson(3.0),
        tfd.Binomial(5.0, probs=0.4),
        tfd.Categorical([0.1, 0.2, 0.3]),
        tfd.Geometric(probs=0.4),
        tfd.Dirichlet([1.0, 2.0, 3.0]),
        tfd.Multinomial(4.0, probs=[0.2, 0.3, 0.5]),
        tfd.MultivariateNormalTriL([0.0, 0.0], [[1.0, 0.0], [0.5, 1.0]]),
    ]
    for case in cases:
        sample = case.sample(50, seed=1)
        assert np.isfinite(case.log_prob(sample)).all(), case
        assert sample.shape[1:] == case.event_shape, case
    np.testing.assert_allclose(cases[0].log_prob(0.0), -0.9189385, rtol=1e-5)
    np.testing.assert_allclose(tfd.Gamma(2.0, 3.0).entropy(), 0.478604, rtol=1e-4)


def bijectors():
    x = tf.constant([0.3, 1.5])
    for case in (tfb.Exp(), tfb.Softplus(), tfb.Sigmoid(), tfb.Shift(2.0)(tfb.Scale(3.0))):
        np.testing.assert_allclose(case.inverse(tf.identity(case.forward(x))), x, rtol=1e-4)
        forward = case.forward_log_det_jacobian(x, 0)
        np.testing.assert_allclose(
            forward, -case.inverse_log_det_jacobian(tf.identity(case.forward(x)), 0), rtol=1e-3
        )
    made = tfd.TransformedDistribution(tfd.Normal(0.0, 1.0), tfb.Exp())
    np.testing.assert_allclose(made.log_prob(2.0), tfd.LogNormal(0.0, 1.0).log_prob(2.0), rtol=1e-5)


def _chain(kernel, state, results=200, burn_in=100):
    sample = tf.function(
        lambda: tfp.mcmc.sample_chain(
            results, state, kernel=kernel, num_burnin_steps=burn_in, trace_fn=None, seed=42
        )
    )
    return sample()


def hamiltonian_monte_carlo():
    kernel = tfp.mcmc.HamiltonianMonteCarlo(tfd.Normal(1.0, 1.0).log_prob, 0.5, 3)
    kernel = tfp.mcmc.SimpleStepSizeAdaptation(kernel, 80)
    assert abs(float(tf.reduce_mean(_chain(kernel, tf.zeros([4])))) - 1.0) < 0.3


def no_u_turn():
    kernel = tfp.mcmc.NoUTurnSampler(tfd.Normal(1.0, 1.0).log_prob, 0.5)
    assert abs(float(tf.reduce_mean(_chain(kernel, tf.zeros([4]), 100, 50))) - 1.0) < 0.4


def random_walk_and_diagnostics():
    kernel = tfp.mcmc.RandomWalkMetropolis(tfd.Normal(0.0, 1.0).log_prob)
    samples = _chain(kernel, tf.zeros([4]))
    assert np.isfinite(tfp.mcmc.effective_sample_size(samples)).all()
    assert float(tfp.mcmc.potential_scale_reduction(samples)) > 0.9


def variational_inference():
    target = tfd.Normal(2.0, 0.5)
    location = tf.Variable(0.0)
    scale = tfp.util.TransformedVariable(1.0, tfb.Softplus())
    losses = tfp.vi.fit_surrogate_posterior(
        target.log_prob,
        tfd.Normal(location, scale),
        optimizer=keras.optimizers.Adam(0.1),
        num_steps=150,
        seed=1,
    )
    assert losses[-1] < losses[0]
    assert abs(float(location) - 2.0) < 0.5


def joint_distributions():
    named = tfd.JointDistributionNamed(
        {"a": tfd.Normal(0.0, 1.0), "b": lambda a: tfd.Normal(a, 1.0)}
    )
    sample = named.sample(3, seed=1)
    assert named.log_prob(sample).shape == [3]

    @tfd.JointDistributionCoroutineAutoBatched
    def model():
        rate = yield tfd.Gamma(2.0, 2.0, name="rate")
        yield tfd.Poisson(tf.repeat(rate, 4), name="counts")

    assert model.log_prob(model.sample(5, seed=1)).shape == [5]
    pinned = model.experimental_pin(counts=[1.0, 2.0, 3.0, 4.0])
    assert np.isfinite(pinned.unnormalized_log_prob(rate=1.0))


def structural_time_series():
    series = tf.constant(np.sin(np.arange(40) / 3.0) + np.arange(40) / 20.0, tf.float32)
    trend = tfp.sts.LocalLinearTrend(observed_time_series=series)
    season = tfp.sts.Seasonal(4, observed_time_series=series)
    model = tfp.sts.Sum([trend, season], observed_time_series=series)
    parameters = [each.prior.sample(3, seed=1) for each in model.parameters]
    forecast = tfp.sts.forecast(model, series, parameters, 5)
    assert forecast.mean().shape == [5, 1]


def hidden_markov_model():
    model = tfd.HiddenMarkovModel(
        tfd.Categorical(probs=[0.8, 0.2]),
        tfd.Categorical(probs=[[0.7, 0.3], [0.2, 0.8]]),
        tfd.Normal([0.0, 15.0], [5.0, 10.0]),
        num_steps=7,
    )
    observed = tf.constant([-2.0, 0, 2, 4, 6, 8, 10])
    assert model.posterior_mode(observed).shape == [7]
    np.testing.assert_allclose(model.log_prob(tf.zeros([7])), -19.855635, rtol=1e-5)


def differential_equations():
    solver = tfp.math.ode.BDF()
    results = solver.solve(lambda t, y: -y, 0.0, tf.constant(1.0), solution_times=[1.0])
    np.testing.assert_allclose(results.states[-1], np.exp(-1.0), rtol=1e-2)
    results = tfp.math.ode.DormandPrince().solve(
        lambda t, y: -y, 0.0, tf.constant(1.0), solution_times=[1.0]
    )
    np.testing.assert_allclose(results.states[-1], np.exp(-1.0), rtol=1e-3)


def optimization():
    found = tfp.optimizer.lbfgs_minimize(
        lambda x: tfp.math.value_and_gradient(lambda x: tf.reduce_sum((x - 3.0) ** 2), x),
        initial_position=tf.zeros([4]),
    )
    np.testing.assert_allclose(found.position, [3.0] * 4, rtol=1e-4)
    simplex = tfp.optimizer.nelder_mead_minimize(
        lambda x: tf.reduce_sum((x - 1.0) ** 2), initial_vertex=tf.zeros([2])
    )
    np.testing.assert_allclose(simplex.position, [1.0, 1.0], atol=1e-2)


def gaussian_processes():
    kernel = tfp.math.psd_kernels.ExponentiatedQuadratic(1.0, 0.5)
    points = tf.constant(np.linspace(0, 1, 8)[:, None], tf.float32)
    process = tfd.GaussianProcess(kernel, points, observation_noise_variance=0.1)
    sample = process.sample(seed=1)
    assert np.isfinite(process.log_prob(sample))
    regression = tfd.GaussianProcessRegressionModel(kernel, points, points, sample, 0.1)
    assert regression.mean().shape == [8]


def mixtures_and_gradients():
    logits = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        mixture = tfd.MixtureSameFamily(
            tfd.Categorical(logits), tfd.Normal([-1.0, 1.0], [0.5, 0.5])
        )
        loss = -tf.reduce_mean(mixture.log_prob([0.9, 1.1]))
    gradient = tape.gradient(loss, logits).numpy()
    assert gradient[0] > 0 > gradient[1]
    divergence = tfd.kl_divergence(tfd.Normal(0.0, 1.0), tfd.Normal(1.0, 2.0))
    np.testing.assert_allclose(divergence, 0.4431472, rtol=1e-5)


def statistics():
    x = tfd.Normal(0.0, 1.0).sample([500, 2], seed=1)
    np.testing.assert_allclose(
        tfp.stats.covariance(x), np.cov(x.numpy().T, bias=True), rtol=1e-3, atol=1e-4
    )
    assert tfp.stats.percentile(x, 50.0, axis=0).shape == [2]
    assert tfp.math.fill_triangular(tf.range(6.0)).shape == [3, 3]
    np.testing.assert_allclose(tfp.math.betainc(2.0, 3.0, 0.5), 0.6875, rtol=1e-5)


def layers():
    x = np.random.default_rng(0).normal(size=[64, 1]).astype("float32")
    model = keras.Sequential(
        [
            keras.layers.Dense(4, "relu", input_shape=[1]),
            keras.layers.Dense(2),
            tfp.layers.DistributionLambda(
                lambda t: tfd.Normal(t[..., :1], 0.1 + tf.nn.softplus(t[..., 1:]))
            ),
        ]
    )
    model.compile(keras.optimizers.Adam(0.05), lambda y, p: -p.log_prob(y))
    losses = model.fit(x, 2 * x, epochs=5, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    assert isinstance(model(x), tfd.Distribution)
    variational = keras.Sequential([tfp.layers.DenseFlipout(2)])
    assert variational(x).shape == [64, 2]
    assert len(variational.losses) == 1


JOBS = (
    *(distributions, bijectors, hamiltonian_monte_carlo, no_u_turn, random_walk_and_diagnostics),
    *(variational_inference, joint_distributions, structural_time_series, hidden_markov_model),
    *(differential_equations, optimization, gaussian_processes, mixtures_and_gradients),
    *(statistics, layers),
)
for job in JOBS:
    try:
        job()
        print(f"ok: {job.__name__}", flush=True)
    except Exception:
        traceback.print_exc()
        print(f"failed: {job.__name__}", flush=True)
