"""Where the class of eager tensors says it lives: programs know it as `…ops.EagerTensor`."""

from tapeflow._src.eager.tensor import EagerTensor as EagerTensor
