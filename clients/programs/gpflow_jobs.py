"""GPflow: what its users do. One line for each job that works."""

import tempfile
import traceback

import gpflow
import numpy as np
import tensorflow as tf

x = np.linspace(0.0, 1.0, 20)[:, None]
y = np.sin(6.0 * x)


def _trained(model, loss, variables):
    before = float(loss())
    gpflow.optimizers.Scipy().minimize(loss, variables, options={"maxiter": 30})
    assert float(loss()) < before
    mean, variance = model.predict_f(x)
    assert np.isfinite(mean).all()
    assert (variance.numpy() > 0).all()
    return model


def _regression():
    return gpflow.models.GPR((x, y), gpflow.kernels.SquaredExponential())


def regression():
    model = _regression()
    _trained(model, model.training_loss, model.trainable_variables)


def sparse_variational():
    kernel, likelihood = gpflow.kernels.Matern32(), gpflow.likelihoods.Gaussian()
    model = gpflow.models.SVGP(kernel, likelihood, x[::4].copy(), num_data=len(x))
    loss = model.training_loss_closure((x, y))
    _trained(model, loss, model.trainable_variables)


def variational():
    model = gpflow.models.VGP(
        (x, (y > 0).astype(float)), gpflow.kernels.Matern52(), gpflow.likelihoods.Bernoulli()
    )
    _trained(model, model.training_loss, model.trainable_variables)


def sparse_regression():
    model = gpflow.models.SGPR((x, y), gpflow.kernels.RBF(), x[::4].copy())
    _trained(model, model.training_loss, model.trainable_variables)


def natural_gradient():
    model = gpflow.models.VGP((x, y), gpflow.kernels.Matern52(), gpflow.likelihoods.Gaussian())
    before = float(model.training_loss())
    optimizer = gpflow.optimizers.NaturalGradient(gamma=1.0)
    optimizer.minimize(model.training_loss, [(model.q_mu, model.q_sqrt)])
    assert float(model.training_loss()) < before
    exact = -float(_regression_like(model).training_loss())
    np.testing.assert_allclose(-float(model.training_loss()), exact, rtol=1e-4)


def _regression_like(model):
    return gpflow.models.GPR((x, y), model.kernel, noise_variance=1.0)


def checkpoint():
    model, other = _regression(), _regression()
    model.kernel.lengthscales.assign(0.3)
    path = tf.train.Checkpoint(model=model).save(f"{tempfile.mkdtemp()}/c")
    tf.train.Checkpoint(model=other).restore(path)
    np.testing.assert_allclose(other.kernel.lengthscales, 0.3)


def saved_model():
    model = _regression()
    signature = [tf.TensorSpec([None, 1], tf.float64)]
    model.predict = tf.function(lambda at: model.predict_f(at), input_signature=signature)
    folder = tempfile.mkdtemp()
    tf.saved_model.save(model, folder)
    loaded = tf.saved_model.load(folder)
    np.testing.assert_allclose(loaded.predict(x)[0], model.predict_f(x)[0], rtol=1e-8)


JOBS = (
    *(regression, sparse_variational, variational, sparse_regression, natural_gradient),
    *(checkpoint, saved_model),
)
for job in JOBS:
    try:
        job()
        print(f"ok: {job.__name__}", flush=True)
    except Exception:
        traceback.print_exc()
        print(f"failed: {job.__name__}", flush=True)
