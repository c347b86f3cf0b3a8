"""Steps of optimizers as ops: a variable and its slots, updated at once.

`var` is the trained variable, the other handles are its slots. The same formulas run
on NumPy and in compiled code: each assigns the next arrays to the cells.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
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
    """Return the arrays of cells, which must have the shape and dtype of the gradient."""
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
    """Subtract `alpha` times the gradient from `var`."""
    (x,) = values(delta, var)
    var.array = x - alpha * delta


def _shrunk(xp: ModuleType, x: Any, rate: Any, l1: Any, l2: Any) -> Any:
    """Compute the proximal operator: soft-threshold `x` by `rate * l1`, then scale by `l2`."""
    near = xp.sign(x) * xp.maximum(xp.abs(x) - rate * xp.maximum(l1, 0), 0)
    return (near / (1 + l2 * rate)).astype(x.dtype)


@step("ResourceApplyProximalGradientDescent")
def apply_proximal_gradient_descent(xp, var: Resource, alpha, l1, l2, delta, *, use_locking=False):
    """Take a gradient step, then apply the proximal operator."""
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
    """Accumulate the gradient in `accum`, and update `var` with it."""
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
    """Like `apply_momentum`, with the learning rate inside the accumulator."""
    x, speed = values(grad, var, accum)
    speed = speed * momentum - lr * grad
    ahead = speed * momentum - lr * grad if use_nesterov else speed
    accum.array, var.array = speed, x + ahead


@step("ResourceApplyAddSign")
def apply_add_sign(
    xp, var: Resource, m: Resource, lr, alpha, sign_decay, beta, grad, *, use_locking=False
):
    """Take a step scaled by `alpha`, larger where gradient and moving average agree in sign."""
    x, mean = values(grad, var, m)
    mean = mean * beta + grad * (1 - beta)
    agree = xp.sign(grad) * xp.sign(mean)
    m.array, var.array = mean, x - lr * (alpha + sign_decay * agree) * grad


@step("ResourceApplyPowerSign")
def apply_power_sign(
    xp, var: Resource, m: Resource, lr, logbase, sign_decay, beta, grad, *, use_locking=False
):
    """Take a step scaled by a power of whether gradient and moving average agree in sign."""
    x, mean = values(grad, var, m)
    mean = mean * beta + grad * (1 - beta)
    agree = xp.sign(grad) * xp.sign(mean)
    m.array, var.array = mean, x - lr * xp.exp(logbase * sign_decay * agree) * grad


# -- the size of gradients so far --------------------------------------------------------------


@step("ResourceApplyAdagrad")
def apply_adagrad(
    xp, var: Resource, accum: Resource, lr, grad, *, use_locking=False, update_slots=True
):
    """Take a step over the root of the sum of squares."""
    x, total = values(grad, var, accum)
    total = total + grad * grad if update_slots else total
    accum.array, var.array = total, x - lr * grad / xp.sqrt(total)


@step("ResourceApplyAdagradV2")
def apply_adagrad_v2(
    xp, var: Resource, accum: Resource, lr, epsilon, grad, *, use_locking=False, update_slots=True
):
    """Take a step over the root of the sum of squares plus `epsilon`."""
    x, total = values(grad, var, accum)
    total = total + grad * grad if update_slots else total
    accum.array, var.array = total, x - lr * grad / (xp.sqrt(total) + epsilon)


@step("ResourceApplyProximalAdagrad")
def apply_proximal_adagrad(
    xp, var: Resource, accum: Resource, lr, l1, l2, grad, *, use_locking=False
):
    """Like `apply_adagrad`, followed by the proximal operator."""
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
    """Compute `var` from the sums of gradients and of their squares, by dual averaging."""
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
    """Take a step over the root mean square of gradients, scaled by that of updates."""
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
    """Take a step over the root mean square, with momentum."""
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
    """Take a step over the standard deviation of gradients, with momentum."""
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
    """Take a step along the mean gradient over the root mean square."""
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
    """Update the arrays in place: a third of the time for large ones."""
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
    """Like `apply_adam`, over the root of the largest mean square so far."""
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
    """Like `apply_adam`, over the exponentially weighted infinity norm."""
    x, mean, most = values(grad, var, m, v)
    mean = mean + (grad - mean) * (1 - beta1)
    most = xp.maximum(beta2 * most, xp.abs(grad))
    m.array, v.array = mean, most
    var.array = x - lr / (1 - beta1_power) * (mean / (most + epsilon))


# -- follow the regularized leader -------------------------------------------------------------


def follow_leader(
    xp: ModuleType, arrays: Any, grad: Any, shrinkage: Any, rates: Any, by_lr: bool
) -> Any:
    """Return the next `var`, `accum` and `linear` of FTRL."""
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
    """Follow the regularized leader: produces sparse weights."""
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
    """Like `apply_ftrl`, with an L2 shrinkage of each gradient."""
    arrays, rates = values(grad, var, accum, linear), (lr, l1, l2, lr_power)
    var.array, accum.array, linear.array = follow_leader(
        xp, arrays, grad, l2_shrinkage, rates, multiply_linear_by_lr
    )
