"""Static analysis of a function's syntax tree. It knows nothing of tensors.

`activity` computes which names a piece of code reads and binds, `scopes` the owner of a name,
`liveness` which values are still needed, `exits` how a block is left.
"""
