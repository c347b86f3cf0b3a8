"""Real TensorFlow libraries on Tapeflow: what runs, compared with TensorFlow (`make clients`)."""
