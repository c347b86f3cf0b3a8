"""Steps of optimizers as ops: a variable and what an optimizer keeps for it, updated in one go.

`var` is what is trained, the other handles are what the optimizer remembers. The same formulas run
on NumPy and in compiled code: each gives the cells their next arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import FLOATING_COMPLEX
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.registry import UNREGISTERED, Free, Op, Resource, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.state.variables import current, must_be_of_dtype


def _no_outputs(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    return ()


def step(name: str) -> Callable[[Callable[..., Any]], Op]:
    """Declare an op that changes variables and returns nothing."""

    def declare(body: Callable[..., Any]) -> Op:
        declared = op(
            name,
            infer=_no_outputs,
            outputs=(),
            effect="writes",
            dtypes=FLOATING_COMPLEX,
            grad=UNREGISTERED,
        )(body)
        declared.kernel("jax")(body)
        return declared

    return declare


def values(grad: Any, *cells: Any) -> list[Any]:
    """The arrays of cells that must all have the shape and dtype of the gradient."""
    arrays = [current(cell) for cell in cells]
    for cell, array in zip(cells, arrays, strict=True):
        must_be_of_dtype(cell, grad)
        if array.shape != grad.shape:
            raise InvalidArgumentError(
                None,
                None,
                f"var, its slots and grad do not have the same shape: {cell.name} has "
                f"{fmt_shape(array.shape)}, grad {fmt_shape(grad.shape)}",
            )
    return arrays


# -- by the gradient alone ---------------------------------------------------------------------


@step("ResourceApplyGradientDescent")
def apply_gradient_descent(xp, var: Resource, alpha, delta, *, use_locking=False):
    """`var` less `alpha` times the gradient."""
    (x,) = values(delta, var)
    var.array = x - alpha * delta


def _shrunk(xp: Any, x: Any, rate: Any, l1: Any, l2: Any) -> Any:
    """`x` drawn towards zero: by `rate * l1`, not beyond zero, then in proportion to `l2`."""
    near = xp.sign(x) * xp.maximum(xp.abs(x) - rate * xp.maximum(l1, 0), 0)
    return (near / (1 + l2 * rate)).astype(x.dtype)


@step("ResourceApplyProximalGradientDescent")
def apply_proximal_gradient_descent(xp, var: Resource, alpha, l1, l2, delta, *, use_locking=False):
    """A step down the gradient, then towards zero."""
    (x,) = values(delta, var)
    var.array = _shrunk(xp, x - alpha * delta, alpha, l1, l2)


# -- momentum ----------------------------------------------------------------------------------


@step("ResourceApplyMomentum")
def apply_momentum(
    xp,
    var: Resource,
    accum: Resource,
    lr,
    grad,
    momentum,
    *,
    use_locking=False,
    use_nesterov=False,
):
    """`accum` takes up the gradients, and `var` follows it."""
    x, speed = values(grad, var, accum)
    speed = speed * momentum + grad
    ahead = grad + speed * momentum if use_nesterov else speed
    accum.array, var.array = speed, x - lr * ahead


@step("ResourceApplyKerasMomentum")
def apply_keras_momentum(
    xp,
    var: Resource,
    accum: Resource,
    lr,
    grad,
    momentum,
    *,
    use_locking=False,
    use_nesterov=False,
):
    """As `apply_momentum`, with the learning rate in what is taken up."""
    x, speed = values(grad, var, accum)
    speed = speed * momentum - lr * grad
    ahead = speed * momentum - lr * grad if use_nesterov else speed
    accum.array, var.array = speed, x + ahead


@step("ResourceApplyAddSign")
def apply_add_sign(
    xp, var: Resource, m: Resource, lr, alpha, sign_decay, beta, grad, *, use_locking=False
):
    """A step scaled by `alpha`, more where gradient and mean gradient agree in sign."""
    x, mean = values(grad, var, m)
    mean = mean * beta + grad * (1 - beta)
    agree = xp.sign(grad) * xp.sign(mean)
    m.array, var.array = mean, x - lr * (alpha + sign_decay * agree) * grad


@step("ResourceApplyPowerSign")
def apply_power_sign(
    xp, var: Resource, m: Resource, lr, logbase, sign_decay, beta, grad, *, use_locking=False
):
    """A step scaled by a power that depends on whether gradient and mean gradient agree."""
    x, mean = values(grad, var, m)
    mean = mean * beta + grad * (1 - beta)
    agree = xp.sign(grad) * xp.sign(mean)
    m.array, var.array = mean, x - lr * xp.exp(logbase * sign_decay * agree) * grad


# -- the size of gradients so far --------------------------------------------------------------


@step("ResourceApplyAdagrad")
def apply_adagrad(
    xp, var: Resource, accum: Resource, lr, grad, *, use_locking=False, update_slots=True
):
    """Steps over the root of the sum of squares."""
    x, total = values(grad, var, accum)
    total = total + grad * grad if update_slots else total
    accum.array, var.array = total, x - lr * grad / xp.sqrt(total)


@step("ResourceApplyAdagradV2")
def apply_adagrad_v2(
    xp, var: Resource, accum: Resource, lr, epsilon, grad, *, use_locking=False, update_slots=True
):
    """Steps over the root of the sum of squares, which `epsilon` keeps from zero."""
    x, total = values(grad, var, accum)
    total = total + grad * grad if update_slots else total
    accum.array, var.array = total, x - lr * grad / (xp.sqrt(total) + epsilon)


@step("ResourceApplyProximalAdagrad")
def apply_proximal_adagrad(
    xp, var: Resource, accum: Resource, lr, l1, l2, grad, *, use_locking=False
):
    """As `apply_adagrad`, then towards zero."""
    x, total = values(grad, var, accum)
    total = total + grad * grad
    rate = lr / xp.sqrt(total)
    accum.array, var.array = total, _shrunk(xp, x - rate * grad, rate, l1, l2)


@step("ResourceApplyAdagradDA")
def apply_adagrad_da(
    xp,
    var: Resource,
    gradient_accumulator: Resource,
    gradient_squared_accumulator: Resource,
    grad,
    lr,
    l1,
    l2,
    global_step: Free,
    *,
    use_locking=False,
):
    """`var` from the sum of all gradients and that of their squares, with dual averaging."""
    cells = (gradient_accumulator, gradient_squared_accumulator)
    _, total, squares = values(grad, var, *cells)
    total, squares = total + grad, squares + grad * grad
    count = xp.asarray(global_step).astype(grad.dtype)
    near = xp.sign(total) * xp.maximum(xp.abs(total) - xp.maximum(l1, 0) * count, 0)
    gradient_accumulator.array, gradient_squared_accumulator.array = total, squares
    var.array = -lr * near / (l2 * count * lr + xp.sqrt(squares))


@step("ResourceApplyAdadelta")
def apply_adadelta(
    xp,
    var: Resource,
    accum: Resource,
    accum_update: Resource,
    lr,
    rho,
    epsilon,
    grad,
    *,
    use_locking=False,
):
    """Steps as large as those before, for gradients as large as those before."""
    x, squares, steps = values(grad, var, accum, accum_update)
    squares = squares * rho + grad * grad * (1 - rho)
    update = xp.sqrt(steps + epsilon) / xp.sqrt(squares + epsilon) * grad
    accum.array, accum_update.array = squares, steps * rho + update * update * (1 - rho)
    var.array = x - lr * update


@step("ResourceApplyRMSProp")
def apply_rms_prop(
    xp,
    var: Resource,
    ms: Resource,
    mom: Resource,
    lr,
    rho,
    momentum,
    epsilon,
    grad,
    *,
    use_locking=False,
):
    """Steps over the root of the mean square, with momentum."""
    x, squares, speed = values(grad, var, ms, mom)
    squares = squares + (grad * grad - squares) * (1 - rho)
    speed = speed * momentum + lr * grad / xp.sqrt(squares + epsilon)
    ms.array, mom.array, var.array = squares, speed, x - speed


@step("ResourceApplyCenteredRMSProp")
def apply_centered_rms_prop(
    xp,
    var: Resource,
    mg: Resource,
    ms: Resource,
    mom: Resource,
    lr,
    rho,
    momentum,
    epsilon,
    grad,
    *,
    use_locking=False,
):
    """Steps over the root of the variance of gradients, with momentum."""
    x, mean, squares, speed = values(grad, var, mg, ms, mom)
    squares = squares + (grad * grad - squares) * (1 - rho)
    mean = mean + (grad - mean) * (1 - rho)
    speed = speed * momentum + lr * grad / xp.sqrt(squares - mean * mean + epsilon)
    mg.array, ms.array, mom.array, var.array = mean, squares, speed, x - speed


# -- Adam and its kin --------------------------------------------------------------------------


@step("ResourceApplyAdam")
def apply_adam(
    xp,
    var: Resource,
    m: Resource,
    v: Resource,
    beta1_power,
    beta2_power,
    lr,
    beta1,
    beta2,
    epsilon,
    grad,
    *,
    use_locking=False,
    use_nesterov=False,
):
    """Steps along the mean gradient over the root of the mean square."""
    x, mean, squares = values(grad, var, m, v)
    mean = mean + (grad - mean) * (1 - beta1)
    squares = squares + (grad * grad - squares) * (1 - beta2)
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    ahead = mean * beta1 + grad * (1 - beta1) if use_nesterov else mean
    m.array, v.array, var.array = mean, squares, x - rate * ahead / (xp.sqrt(squares) + epsilon)


@apply_adam.kernel("numpy")
def _(
    xp,
    var: Resource,
    m: Resource,
    v: Resource,
    beta1_power,
    beta2_power,
    lr,
    beta1,
    beta2,
    epsilon,
    grad,
    *,
    use_locking=False,
    use_nesterov=False,
):
    """The same, written into the arrays that are there: for large ones in a third of the time."""
    if use_nesterov or not grad.ndim:
        numbers = (beta1_power, beta2_power, lr, beta1, beta2, epsilon)
        apply_adam.body(xp, var, m, v, *numbers, grad, use_nesterov=use_nesterov)
        return
    values(grad, var, m, v)
    try:
        _adam_in_place(
            (m.take(), v.take(), var.take()),
            beta1_power,
            beta2_power,
            lr,
            beta1,
            beta2,
            epsilon,
            grad,
        )
    finally:
        for cell in (m, v, var):
            cell.put()


def _adam_in_place(
    arrays: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
) -> None:
    mean, squares, x = arrays
    step = grad - mean
    step *= 1 - beta1
    mean += step
    np.multiply(grad, grad, out=step)
    step -= squares
    step *= 1 - beta2
    squares += step
    np.sqrt(squares, out=step)
    step += epsilon
    np.divide(mean, step, out=step)
    step *= lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
    x -= step


@step("ResourceApplyAdamWithAmsgrad")
def apply_adam_with_amsgrad(
    xp,
    var: Resource,
    m: Resource,
    v: Resource,
    vhat: Resource,
    beta1_power,
    beta2_power,
    lr,
    beta1,
    beta2,
    epsilon,
    grad,
    *,
    use_locking=False,
):
    """As `apply_adam`, over the root of the greatest mean square so far."""
    x, mean, squares, most = values(grad, var, m, v, vhat)
    mean = mean + (grad - mean) * (1 - beta1)
    squares = squares + (grad * grad - squares) * (1 - beta2)
    most = xp.maximum(most, squares)
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    m.array, v.array, vhat.array = mean, squares, most
    var.array = x - rate * mean / (xp.sqrt(most) + epsilon)


@step("ResourceApplyAdaMax")
def apply_ada_max(
    xp,
    var: Resource,
    m: Resource,
    v: Resource,
    beta1_power,
    lr,
    beta1,
    beta2,
    epsilon,
    grad,
    *,
    use_locking=False,
):
    """As `apply_adam`, over the greatest gradient, which fades."""
    x, mean, most = values(grad, var, m, v)
    mean = mean + (grad - mean) * (1 - beta1)
    most = xp.maximum(beta2 * most, xp.abs(grad))
    m.array, v.array = mean, most
    var.array = x - lr / (1 - beta1_power) * (mean / (most + epsilon))


# -- follow the regularized leader -------------------------------------------------------------


def follow_leader(xp: Any, arrays: Any, grad: Any, shrinkage: Any, rates: Any, by_lr: bool) -> Any:
    """The next `var`, `accum` and `linear` of FTRL."""
    x, total, linear = arrays
    lr, l1, l2, lr_power = rates
    next_total = total + grad * grad
    power, next_power = total**-lr_power, next_total**-lr_power
    pull = grad + 2 * shrinkage * x
    if by_lr:
        linear = linear + pull * lr - (next_power - power) * x
        l1, quadratic = l1 * lr, next_power + 2 * l2 * lr
    else:
        linear = linear + pull - (next_power - power) / lr * x
        quadratic = next_power / lr + 2 * l2
    far = xp.abs(linear) > l1
    x = xp.where(far, (xp.sign(linear) * l1 - linear) / quadratic, xp.zeros_like(x))
    return x, next_total, linear


@step("ResourceApplyFtrl")
def apply_ftrl(
    xp,
    var: Resource,
    accum: Resource,
    linear: Resource,
    grad,
    lr,
    l1,
    l2,
    lr_power,
    *,
    use_locking=False,
    multiply_linear_by_lr=False,
):
    """Follow the regularized leader: few of many weights differ from zero."""
    arrays, rates = values(grad, var, accum, linear), (lr, l1, l2, lr_power)
    none = np.zeros((), grad.dtype)
    var.array, accum.array, linear.array = follow_leader(
        xp, arrays, grad, none, rates, multiply_linear_by_lr
    )


@step("ResourceApplyFtrlV2")
def apply_ftrl_v2(
    xp,
    var: Resource,
    accum: Resource,
    linear: Resource,
    grad,
    lr,
    l1,
    l2,
    l2_shrinkage,
    lr_power,
    *,
    use_locking=False,
    multiply_linear_by_lr=False,
):
    """As `apply_ftrl`, with a penalty on the size that is part of each step."""
    arrays, rates = values(grad, var, accum, linear), (lr, l1, l2, lr_power)
    var.array, accum.array, linear.array = follow_leader(
        xp, arrays, grad, l2_shrinkage, rates, multiply_linear_by_lr
    )
