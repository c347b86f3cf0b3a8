"""Feature columns against `tf_keras`."""
