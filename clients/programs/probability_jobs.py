"""TensorFlow Probability: distributions, bijectors, Hamiltonian Monte Carlo."""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

normal = tfp.distributions.Normal(0.0, 1.0)
np.testing.assert_allclose(normal.log_prob(0.0), -0.9189385, rtol=1e-5)
print("ok: distributions")

bijector = tfp.bijectors.Softplus()
np.testing.assert_allclose(bijector.inverse(bijector.forward(1.5)), 1.5, rtol=1e-5)
print("ok: bijectors")

samples = tfp.mcmc.sample_chain(
    200,
    current_state=0.0,
    num_burnin_steps=100,
    kernel=tfp.mcmc.HamiltonianMonteCarlo(normal.log_prob, step_size=0.5, num_leapfrog_steps=3),
    trace_fn=None,
    seed=42,
)
assert abs(float(tf.reduce_mean(samples))) < 0.5
print("ok: Hamiltonian Monte Carlo")
