"""Cases of Keras' own tests in which results differed, recorded from Keras."""
