"""Op declarations: convolution, pooling, normalisation, activations, recurrent layers."""
