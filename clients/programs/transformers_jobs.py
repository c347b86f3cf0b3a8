"""What people do with transformers' models for TensorFlow: BERT and GPT-2, of small sizes."""

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import (
    BertConfig,
    GPT2Config,
    TFBertForSequenceClassification,
    TFGPT2LMHeadModel,
)

tf.random.set_seed(0)
config = BertConfig(
    vocab_size=100,
    max_position_embeddings=64,
    num_labels=2,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
)
words = np.random.default_rng(0).integers(1, 100, (8, 12)).astype(np.int32)
labels = np.array([0, 1] * 4, np.int32)

bert = TFBertForSequenceClassification(config)
assert bert(tf.constant(words)).logits.shape == [8, 2]
print("ok: forward")

optimizer = tf_keras.optimizers.Adam(1e-3)


@tf.function
def step(ids, wanted):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(bert(ids, labels=wanted, training=True).loss)
    variables = bert.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


losses = [float(step(tf.constant(words), tf.constant(labels))) for _ in range(8)]
assert losses[-1] < losses[0], losses
print("ok: train step")

bert.compile(optimizer=tf_keras.optimizers.Adam(1e-3))
data = {"input_ids": words, "labels": labels}
history = bert.fit(data, epochs=2, batch_size=4, verbose=0).history["loss"]
assert np.isfinite(history).all()
print("ok: fit")

folder = tempfile.mkdtemp()
bert.save_pretrained(folder)
again = TFBertForSequenceClassification.from_pretrained(folder)
np.testing.assert_allclose(again(words).logits, bert(words).logits, atol=1e-5)
print("ok: save and load")

gpt2 = TFGPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=64, n_embd=32, n_layer=2, n_head=4))
text = gpt2.generate(tf.constant(words[:2, :4]), max_new_tokens=6, do_sample=False, pad_token_id=0)
assert text.shape == [2, 10]
np.testing.assert_array_equal(text[:, :4], words[:2, :4])
print("ok: generate")
