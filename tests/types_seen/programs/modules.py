import tapeflow as tf


class Line(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(1.0)

    @tf.function
    def __call__(self, x):
        return self.w * x


line = Line()
reveal_type(line)  # Line
print(line(2.0), line.trainable_variables, line.name)
tf.saved_model.save(line, "folder")
