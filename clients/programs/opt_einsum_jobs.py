"""What people do with opt_einsum: contract tensors of TensorFlow in a good order."""

import numpy as np
import opt_einsum
import tensorflow as tf

rng = np.random.default_rng(0)
arrays = [rng.normal(size=shape) for shape in ((4, 5), (5, 6), (6, 7), (7, 4))]
formula = "ab,bc,cd,da->"
expected = np.einsum(formula, *arrays)

tensors = [tf.constant(a) for a in arrays]
np.testing.assert_allclose(opt_einsum.contract(formula, *tensors), expected)
print("ok: tensors")

expression = opt_einsum.contract_expression(formula, *[a.shape for a in arrays])
np.testing.assert_allclose(expression(*tensors), expected)
print("ok: expression")

np.testing.assert_allclose(expression(*arrays, backend="tensorflow"), expected)
print("ok: arrays by the backend")

contracted = tf.function(lambda *parts: opt_einsum.contract(formula, *parts))
np.testing.assert_allclose(contracted(*tensors), expected)
print("ok: inside a function")
