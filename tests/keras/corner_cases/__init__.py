"""Corner cases of models, layers and training, recorded from Keras."""
