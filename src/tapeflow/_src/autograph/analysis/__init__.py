"""What can be said of a function from its syntax tree. It knows nothing of tensors.

`activity` says which names a piece of code reads and binds, `scopes` to whom a name belongs,
`liveness` which values are still needed, `exits` how a block is left.
"""
