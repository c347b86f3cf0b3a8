"""GPflow: regression with SciPy's optimizer, and a sparse variational model."""

import gpflow
import numpy as np

x = np.linspace(0.0, 1.0, 20)[:, None]
y = np.sin(6.0 * x)
model = gpflow.models.GPR((x, y), gpflow.kernels.SquaredExponential())
before = float(model.training_loss())
gpflow.optimizers.Scipy().minimize(model.training_loss, model.trainable_variables)
assert float(model.training_loss()) < before
print("ok: regression")

sparse = gpflow.models.SVGP(
    gpflow.kernels.Matern32(), gpflow.likelihoods.Gaussian(), x[::4].copy(), num_data=len(x)
)
assert np.isfinite(float(sparse.elbo((x, y))))
print("ok: sparse variational model")
