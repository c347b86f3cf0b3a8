import tapeflow as tf

layers = tf.keras.layers
model = tf.keras.Sequential(
    [
        layers.Embedding(1000, 16, mask_zero=True),
        layers.Bidirectional(layers.LSTM(8, return_sequences=True)),
        layers.GRU(4),
    ]
)
reveal_type(layers.LSTM(8))  # LSTM
reveal_type(layers.MultiHeadAttention(2, 4))  # MultiHeadAttention
print(model.layers, model.weights)
