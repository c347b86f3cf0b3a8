"""The public namespace `tf.keras.layers`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_FILES = {
    "layer": ("Layer",),
    "input_spec": ("InputSpec",),
    "core.dense": ("Dense",),
    "core.einsum_dense": ("EinsumDense",),
    "core.embedding": ("Embedding",),
    "core.input_layer": ("Input", "InputLayer"),
    "core.jax_layer": ("FlaxLayer", "JaxLayer"),
    "core.reversible_embedding": ("ReversibleEmbedding",),
    "core.simple": ("Identity", "Lambda", "Masking"),
    "core.tfsm_layer": ("TFSMLayer",),
    "core.torch_module_wrapper": ("TorchModuleWrapper",),
    "core.wrapper": ("TimeDistributed", "Wrapper"),
    "activations.layers": (
        *("Activation", "ELU", "LeakyReLU", "PReLU", "ReLU", "Softmax", "ThresholdedReLU"),
    ),
    "attention.attention": ("AdditiveAttention", "Attention"),
    "attention.grouped_query_attention": ("GroupQueryAttention",),
    "attention.multi_head_attention": ("MultiHeadAttention",),
    "convolutional.conv": ("Conv1D", "Conv2D", "Conv3D"),
    "convolutional.depthwise": ("DepthwiseConv1D", "DepthwiseConv2D"),
    "convolutional.locally_connected": ("LocallyConnected1D", "LocallyConnected2D"),
    "convolutional.separable": ("SeparableConv1D", "SeparableConv2D"),
    "convolutional.transpose": ("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"),
    "pooling.adaptive": (
        *("AdaptiveAveragePooling1D", "AdaptiveAveragePooling2D", "AdaptiveAveragePooling3D"),
        *("AdaptiveMaxPooling1D", "AdaptiveMaxPooling2D", "AdaptiveMaxPooling3D"),
    ),
    "pooling.windows": (
        *("AveragePooling1D", "AveragePooling2D", "AveragePooling3D"),
        *("MaxPooling1D", "MaxPooling2D", "MaxPooling3D"),
    ),
    "pooling.whole": (
        *("GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D"),
        *("GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D"),
    ),
    "normalization.batch_normalization": ("BatchNormalization",),
    "normalization.layer_normalization": (
        *("GroupNormalization", "LayerNormalization", "RMSNormalization", "UnitNormalization"),
    ),
    "normalization.spectral_normalization": ("SpectralNormalization",),
    "regularization.activity": ("ActivityRegularization",),
    "regularization.dropout": (
        *("AlphaDropout", "Dropout", "GaussianDropout", "GaussianNoise"),
        *("SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"),
    ),
    "reshaping.borders": (
        *("Cropping1D", "Cropping2D", "Cropping3D"),
        *("ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D"),
    ),
    "reshaping.shapes": ("Flatten", "Permute", "RepeatVector", "Reshape"),
    "reshaping.up_sampling": ("UpSampling1D", "UpSampling2D", "UpSampling3D"),
    "rnn.rnn": ("RNN",),
    "rnn.abstract_rnn_cell": ("AbstractRNNCell",),
    "rnn.bidirectional": ("Bidirectional",),
    "rnn.conv_lstm": ("ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"),
    "rnn.gru": ("GRU", "GRUCell"),
    "rnn.lstm": ("LSTM", "LSTMCell"),
    "rnn.simple_rnn": ("SimpleRNN", "SimpleRNNCell"),
    "rnn.stacked_rnn_cells": ("StackedRNNCells",),
    "merging.elementwise": ("Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"),
    "merging.joining": ("Concatenate", "Dot"),
    "merging.functions": (
        *("add", "average", "concatenate", "dot", "maximum", "minimum", "multiply", "subtract"),
    ),
    "preprocessing.feature_columns": ("DenseFeatures",),
    "preprocessing.pipeline": ("Pipeline",),
    "preprocessing.rescaling": ("Rescaling",),
    "preprocessing.spectrograms": ("MelSpectrogram", "STFTSpectrogram"),
    "preprocessing.normalization": ("Normalization",),
    "preprocessing.discretization": ("Discretization",),
    "preprocessing.category_encoding": ("CategoryEncoding",),
    "preprocessing.hashing": ("Hashing",),
    "preprocessing.hashed_crossing": ("HashedCrossing",),
    "preprocessing.string_lookup": ("StringLookup",),
    "preprocessing.integer_lookup": ("IntegerLookup",),
    "preprocessing.text_vectorization": ("TextVectorization",),
    "preprocessing.image.affine": (
        *("RandomRotation", "RandomShear", "RandomTranslation", "RandomZoom"),
    ),
    "preprocessing.image.colors": (
        *("RandomBrightness", "RandomColorDegeneration", "RandomColorJitter", "RandomContrast"),
        *("RandomGrayscale", "RandomHue", "RandomInvert", "RandomSaturation"),
    ),
    "preprocessing.image.distortions": ("RandomElasticTransform", "RandomPerspective"),
    "preprocessing.image.filters": ("RandomGaussianBlur", "RandomSharpness"),
    "preprocessing.image.max_num_bounding_boxes": ("MaxNumBoundingBoxes",),
    "preprocessing.image.mixing": ("CutMix", "MixUp", "RandomErasing"),
    "preprocessing.image.policies": ("AugMix", "RandAugment"),
    "preprocessing.image.random_flip": ("RandomFlip",),
    "preprocessing.image.random_size": ("RandomHeight", "RandomWidth"),
    "preprocessing.image.resizing": ("CenterCrop", "RandomCrop", "Resizing"),
    "preprocessing.image.tones": (
        *("AutoContrast", "ContrastLimitedAdaptiveHistogramEqualization", "Equalization"),
        *("RandomPosterization", "Solarization"),
    ),
    "lookup": (
        *("AvgPool1D", "AvgPool2D", "AvgPool3D", "Convolution1D", "Convolution1DTranspose"),
        *("Convolution2D", "Convolution2DTranspose", "Convolution3D", "Convolution3DTranspose"),
        *("GlobalAvgPool1D", "GlobalAvgPool2D", "GlobalAvgPool3D", "GlobalMaxPool1D"),
        *("GlobalMaxPool2D", "GlobalMaxPool3D", "MaxPool1D", "MaxPool2D", "MaxPool3D"),
        *("SeparableConvolution1D", "SeparableConvolution2D", "deserialize", "serialize"),
    ),
}

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "experimental": f"{__name__}.experimental",
        **{
            name: f"tapeflow._src.keras.layers.{file}"
            for file, names in _FILES.items()
            for name in names
        },
    },
)
