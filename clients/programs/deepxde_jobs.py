"""What people do with DeepXDE: solve a boundary value problem."""

import os

os.environ["DDE_BACKEND"] = "tensorflow"
os.environ["TF_USE_LEGACY_KERAS"] = "1"

import deepxde as dde
import numpy as np

dde.config.set_random_seed(1)


def equation(x, y):
    return -dde.grad.hessian(y, x) - np.pi**2 * dde.backend.tf.sin(np.pi * x)


geometry = dde.geometry.Interval(-1, 1)
boundary = dde.icbc.DirichletBC(geometry, lambda x: 0, lambda _, on_boundary: on_boundary)
data = dde.data.PDE(
    geometry, equation, boundary, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=50
)
network = dde.nn.FNN([1, 20, 20, 1], "tanh", "Glorot uniform")
model = dde.Model(data, network)
model.compile("adam", lr=0.005, metrics=["l2 relative error"])
history, state = model.train(iterations=1500, display_every=500)
assert state.best_metrics[0] < 0.2, state.best_metrics
print("ok: PDE solved")
