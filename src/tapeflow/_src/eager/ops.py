"""The module that `EagerTensor` reports as its own: programs know it as `…ops.EagerTensor`."""

from tapeflow._src.eager.tensor import EagerTensor as EagerTensor
