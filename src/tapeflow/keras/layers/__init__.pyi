# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.layers.activations.layers import Activation as Activation
from tapeflow._src.keras.layers.activations.layers import ELU as ELU
from tapeflow._src.keras.layers.activations.layers import LeakyReLU as LeakyReLU
from tapeflow._src.keras.layers.activations.layers import PReLU as PReLU
from tapeflow._src.keras.layers.activations.layers import ReLU as ReLU
from tapeflow._src.keras.layers.activations.layers import Softmax as Softmax
from tapeflow._src.keras.layers.activations.layers import ThresholdedReLU as ThresholdedReLU
from tapeflow._src.keras.layers.attention.attention import AdditiveAttention as AdditiveAttention
from tapeflow._src.keras.layers.attention.attention import Attention as Attention
from tapeflow._src.keras.layers.attention.grouped_query_attention import (
    GroupQueryAttention as GroupQueryAttention,
)
from tapeflow._src.keras.layers.attention.multi_head_attention import (
    MultiHeadAttention as MultiHeadAttention,
)
from tapeflow._src.keras.layers.convolutional.conv import Conv1D as Conv1D
from tapeflow._src.keras.layers.convolutional.conv import Conv2D as Conv2D
from tapeflow._src.keras.layers.convolutional.conv import Conv3D as Conv3D
from tapeflow._src.keras.layers.convolutional.depthwise import DepthwiseConv1D as DepthwiseConv1D
from tapeflow._src.keras.layers.convolutional.depthwise import DepthwiseConv2D as DepthwiseConv2D
from tapeflow._src.keras.layers.convolutional.locally_connected import (
    LocallyConnected1D as LocallyConnected1D,
)
from tapeflow._src.keras.layers.convolutional.locally_connected import (
    LocallyConnected2D as LocallyConnected2D,
)
from tapeflow._src.keras.layers.convolutional.separable import SeparableConv1D as SeparableConv1D
from tapeflow._src.keras.layers.convolutional.separable import SeparableConv2D as SeparableConv2D
from tapeflow._src.keras.layers.convolutional.transpose import Conv1DTranspose as Conv1DTranspose
from tapeflow._src.keras.layers.convolutional.transpose import Conv2DTranspose as Conv2DTranspose
from tapeflow._src.keras.layers.convolutional.transpose import Conv3DTranspose as Conv3DTranspose
from tapeflow._src.keras.layers.core.dense import Dense as Dense
from tapeflow._src.keras.layers.core.einsum_dense import EinsumDense as EinsumDense
from tapeflow._src.keras.layers.core.embedding import Embedding as Embedding
from tapeflow._src.keras.layers.core.input_layer import Input as Input
from tapeflow._src.keras.layers.core.input_layer import InputLayer as InputLayer
from tapeflow._src.keras.layers.core.jax_layer import FlaxLayer as FlaxLayer
from tapeflow._src.keras.layers.core.jax_layer import JaxLayer as JaxLayer
from tapeflow._src.keras.layers.core.reversible_embedding import (
    ReversibleEmbedding as ReversibleEmbedding,
)
from tapeflow._src.keras.layers.core.simple import Identity as Identity
from tapeflow._src.keras.layers.core.simple import Lambda as Lambda
from tapeflow._src.keras.layers.core.simple import Masking as Masking
from tapeflow._src.keras.layers.core.tfsm_layer import TFSMLayer as TFSMLayer
from tapeflow._src.keras.layers.core.torch_module_wrapper import (
    TorchModuleWrapper as TorchModuleWrapper,
)
from tapeflow._src.keras.layers.core.wrapper import TimeDistributed as TimeDistributed
from tapeflow._src.keras.layers.core.wrapper import Wrapper as Wrapper
from tapeflow._src.keras.layers.input_spec import InputSpec as InputSpec
from tapeflow._src.keras.layers.layer import Layer as Layer
from tapeflow._src.keras.layers.lookup import AvgPool1D as AvgPool1D
from tapeflow._src.keras.layers.lookup import AvgPool2D as AvgPool2D
from tapeflow._src.keras.layers.lookup import AvgPool3D as AvgPool3D
from tapeflow._src.keras.layers.lookup import Convolution1D as Convolution1D
from tapeflow._src.keras.layers.lookup import Convolution1DTranspose as Convolution1DTranspose
from tapeflow._src.keras.layers.lookup import Convolution2D as Convolution2D
from tapeflow._src.keras.layers.lookup import Convolution2DTranspose as Convolution2DTranspose
from tapeflow._src.keras.layers.lookup import Convolution3D as Convolution3D
from tapeflow._src.keras.layers.lookup import Convolution3DTranspose as Convolution3DTranspose
from tapeflow._src.keras.layers.lookup import GlobalAvgPool1D as GlobalAvgPool1D
from tapeflow._src.keras.layers.lookup import GlobalAvgPool2D as GlobalAvgPool2D
from tapeflow._src.keras.layers.lookup import GlobalAvgPool3D as GlobalAvgPool3D
from tapeflow._src.keras.layers.lookup import GlobalMaxPool1D as GlobalMaxPool1D
from tapeflow._src.keras.layers.lookup import GlobalMaxPool2D as GlobalMaxPool2D
from tapeflow._src.keras.layers.lookup import GlobalMaxPool3D as GlobalMaxPool3D
from tapeflow._src.keras.layers.lookup import MaxPool1D as MaxPool1D
from tapeflow._src.keras.layers.lookup import MaxPool2D as MaxPool2D
from tapeflow._src.keras.layers.lookup import MaxPool3D as MaxPool3D
from tapeflow._src.keras.layers.lookup import SeparableConvolution1D as SeparableConvolution1D
from tapeflow._src.keras.layers.lookup import SeparableConvolution2D as SeparableConvolution2D
from tapeflow._src.keras.layers.lookup import deserialize as deserialize
from tapeflow._src.keras.layers.lookup import serialize as serialize
from tapeflow._src.keras.layers.merging.elementwise import Add as Add
from tapeflow._src.keras.layers.merging.elementwise import Average as Average
from tapeflow._src.keras.layers.merging.elementwise import Maximum as Maximum
from tapeflow._src.keras.layers.merging.elementwise import Minimum as Minimum
from tapeflow._src.keras.layers.merging.elementwise import Multiply as Multiply
from tapeflow._src.keras.layers.merging.elementwise import Subtract as Subtract
from tapeflow._src.keras.layers.merging.functions import add as add
from tapeflow._src.keras.layers.merging.functions import average as average
from tapeflow._src.keras.layers.merging.functions import concatenate as concatenate
from tapeflow._src.keras.layers.merging.functions import dot as dot
from tapeflow._src.keras.layers.merging.functions import maximum as maximum
from tapeflow._src.keras.layers.merging.functions import minimum as minimum
from tapeflow._src.keras.layers.merging.functions import multiply as multiply
from tapeflow._src.keras.layers.merging.functions import subtract as subtract
from tapeflow._src.keras.layers.merging.joining import Concatenate as Concatenate
from tapeflow._src.keras.layers.merging.joining import Dot as Dot
from tapeflow._src.keras.layers.normalization.batch_normalization import (
    BatchNormalization as BatchNormalization,
)
from tapeflow._src.keras.layers.normalization.layer_normalization import (
    GroupNormalization as GroupNormalization,
)
from tapeflow._src.keras.layers.normalization.layer_normalization import (
    LayerNormalization as LayerNormalization,
)
from tapeflow._src.keras.layers.normalization.layer_normalization import (
    RMSNormalization as RMSNormalization,
)
from tapeflow._src.keras.layers.normalization.layer_normalization import (
    UnitNormalization as UnitNormalization,
)
from tapeflow._src.keras.layers.normalization.spectral_normalization import (
    SpectralNormalization as SpectralNormalization,
)
from tapeflow._src.keras.layers.pooling.adaptive import (
    AdaptiveAveragePooling1D as AdaptiveAveragePooling1D,
)
from tapeflow._src.keras.layers.pooling.adaptive import (
    AdaptiveAveragePooling2D as AdaptiveAveragePooling2D,
)
from tapeflow._src.keras.layers.pooling.adaptive import (
    AdaptiveAveragePooling3D as AdaptiveAveragePooling3D,
)
from tapeflow._src.keras.layers.pooling.adaptive import AdaptiveMaxPooling1D as AdaptiveMaxPooling1D
from tapeflow._src.keras.layers.pooling.adaptive import AdaptiveMaxPooling2D as AdaptiveMaxPooling2D
from tapeflow._src.keras.layers.pooling.adaptive import AdaptiveMaxPooling3D as AdaptiveMaxPooling3D
from tapeflow._src.keras.layers.pooling.whole import (
    GlobalAveragePooling1D as GlobalAveragePooling1D,
)
from tapeflow._src.keras.layers.pooling.whole import (
    GlobalAveragePooling2D as GlobalAveragePooling2D,
)
from tapeflow._src.keras.layers.pooling.whole import (
    GlobalAveragePooling3D as GlobalAveragePooling3D,
)
from tapeflow._src.keras.layers.pooling.whole import GlobalMaxPooling1D as GlobalMaxPooling1D
from tapeflow._src.keras.layers.pooling.whole import GlobalMaxPooling2D as GlobalMaxPooling2D
from tapeflow._src.keras.layers.pooling.whole import GlobalMaxPooling3D as GlobalMaxPooling3D
from tapeflow._src.keras.layers.pooling.windows import AveragePooling1D as AveragePooling1D
from tapeflow._src.keras.layers.pooling.windows import AveragePooling2D as AveragePooling2D
from tapeflow._src.keras.layers.pooling.windows import AveragePooling3D as AveragePooling3D
from tapeflow._src.keras.layers.pooling.windows import MaxPooling1D as MaxPooling1D
from tapeflow._src.keras.layers.pooling.windows import MaxPooling2D as MaxPooling2D
from tapeflow._src.keras.layers.pooling.windows import MaxPooling3D as MaxPooling3D
from tapeflow._src.keras.layers.preprocessing.category_encoding import (
    CategoryEncoding as CategoryEncoding,
)
from tapeflow._src.keras.layers.preprocessing.discretization import Discretization as Discretization
from tapeflow._src.keras.layers.preprocessing.feature_columns import DenseFeatures as DenseFeatures
from tapeflow._src.keras.layers.preprocessing.hashed_crossing import (
    HashedCrossing as HashedCrossing,
)
from tapeflow._src.keras.layers.preprocessing.hashing import Hashing as Hashing
from tapeflow._src.keras.layers.preprocessing.image.affine import (
    RandomTranslation as RandomTranslation,
)
from tapeflow._src.keras.layers.preprocessing.image.affine import RandomRotation as RandomRotation
from tapeflow._src.keras.layers.preprocessing.image.affine import RandomShear as RandomShear
from tapeflow._src.keras.layers.preprocessing.image.affine import RandomZoom as RandomZoom
from tapeflow._src.keras.layers.preprocessing.image.colors import (
    RandomBrightness as RandomBrightness,
)
from tapeflow._src.keras.layers.preprocessing.image.colors import (
    RandomColorDegeneration as RandomColorDegeneration,
)
from tapeflow._src.keras.layers.preprocessing.image.colors import (
    RandomColorJitter as RandomColorJitter,
)
from tapeflow._src.keras.layers.preprocessing.image.colors import (
    RandomSaturation as RandomSaturation,
)
from tapeflow._src.keras.layers.preprocessing.image.colors import RandomContrast as RandomContrast
from tapeflow._src.keras.layers.preprocessing.image.colors import RandomGrayscale as RandomGrayscale
from tapeflow._src.keras.layers.preprocessing.image.colors import RandomHue as RandomHue
from tapeflow._src.keras.layers.preprocessing.image.colors import RandomInvert as RandomInvert
from tapeflow._src.keras.layers.preprocessing.image.distortions import (
    RandomElasticTransform as RandomElasticTransform,
)
from tapeflow._src.keras.layers.preprocessing.image.distortions import (
    RandomPerspective as RandomPerspective,
)
from tapeflow._src.keras.layers.preprocessing.image.filters import (
    RandomGaussianBlur as RandomGaussianBlur,
)
from tapeflow._src.keras.layers.preprocessing.image.filters import (
    RandomSharpness as RandomSharpness,
)
from tapeflow._src.keras.layers.preprocessing.image.max_num_bounding_boxes import (
    MaxNumBoundingBoxes as MaxNumBoundingBoxes,
)
from tapeflow._src.keras.layers.preprocessing.image.mixing import CutMix as CutMix
from tapeflow._src.keras.layers.preprocessing.image.mixing import MixUp as MixUp
from tapeflow._src.keras.layers.preprocessing.image.mixing import RandomErasing as RandomErasing
from tapeflow._src.keras.layers.preprocessing.image.policies import AugMix as AugMix
from tapeflow._src.keras.layers.preprocessing.image.policies import RandAugment as RandAugment
from tapeflow._src.keras.layers.preprocessing.image.random_flip import RandomFlip as RandomFlip
from tapeflow._src.keras.layers.preprocessing.image.random_size import RandomHeight as RandomHeight
from tapeflow._src.keras.layers.preprocessing.image.random_size import RandomWidth as RandomWidth
from tapeflow._src.keras.layers.preprocessing.image.resizing import CenterCrop as CenterCrop
from tapeflow._src.keras.layers.preprocessing.image.resizing import RandomCrop as RandomCrop
from tapeflow._src.keras.layers.preprocessing.image.resizing import Resizing as Resizing
from tapeflow._src.keras.layers.preprocessing.image.tones import (
    ContrastLimitedAdaptiveHistogramEqualization as ContrastLimitedAdaptiveHistogramEqualization,
)
from tapeflow._src.keras.layers.preprocessing.image.tones import (
    RandomPosterization as RandomPosterization,
)
from tapeflow._src.keras.layers.preprocessing.image.tones import AutoContrast as AutoContrast
from tapeflow._src.keras.layers.preprocessing.image.tones import Equalization as Equalization
from tapeflow._src.keras.layers.preprocessing.image.tones import Solarization as Solarization
from tapeflow._src.keras.layers.preprocessing.integer_lookup import IntegerLookup as IntegerLookup
from tapeflow._src.keras.layers.preprocessing.normalization import Normalization as Normalization
from tapeflow._src.keras.layers.preprocessing.pipeline import Pipeline as Pipeline
from tapeflow._src.keras.layers.preprocessing.rescaling import Rescaling as Rescaling
from tapeflow._src.keras.layers.preprocessing.spectrograms import MelSpectrogram as MelSpectrogram
from tapeflow._src.keras.layers.preprocessing.spectrograms import STFTSpectrogram as STFTSpectrogram
from tapeflow._src.keras.layers.preprocessing.string_lookup import StringLookup as StringLookup
from tapeflow._src.keras.layers.preprocessing.text_vectorization import (
    TextVectorization as TextVectorization,
)
from tapeflow._src.keras.layers.regularization.activity import (
    ActivityRegularization as ActivityRegularization,
)
from tapeflow._src.keras.layers.regularization.dropout import AlphaDropout as AlphaDropout
from tapeflow._src.keras.layers.regularization.dropout import Dropout as Dropout
from tapeflow._src.keras.layers.regularization.dropout import GaussianDropout as GaussianDropout
from tapeflow._src.keras.layers.regularization.dropout import GaussianNoise as GaussianNoise
from tapeflow._src.keras.layers.regularization.dropout import SpatialDropout1D as SpatialDropout1D
from tapeflow._src.keras.layers.regularization.dropout import SpatialDropout2D as SpatialDropout2D
from tapeflow._src.keras.layers.regularization.dropout import SpatialDropout3D as SpatialDropout3D
from tapeflow._src.keras.layers.reshaping.borders import Cropping1D as Cropping1D
from tapeflow._src.keras.layers.reshaping.borders import Cropping2D as Cropping2D
from tapeflow._src.keras.layers.reshaping.borders import Cropping3D as Cropping3D
from tapeflow._src.keras.layers.reshaping.borders import ZeroPadding1D as ZeroPadding1D
from tapeflow._src.keras.layers.reshaping.borders import ZeroPadding2D as ZeroPadding2D
from tapeflow._src.keras.layers.reshaping.borders import ZeroPadding3D as ZeroPadding3D
from tapeflow._src.keras.layers.reshaping.shapes import Flatten as Flatten
from tapeflow._src.keras.layers.reshaping.shapes import Permute as Permute
from tapeflow._src.keras.layers.reshaping.shapes import RepeatVector as RepeatVector
from tapeflow._src.keras.layers.reshaping.shapes import Reshape as Reshape
from tapeflow._src.keras.layers.reshaping.up_sampling import UpSampling1D as UpSampling1D
from tapeflow._src.keras.layers.reshaping.up_sampling import UpSampling2D as UpSampling2D
from tapeflow._src.keras.layers.reshaping.up_sampling import UpSampling3D as UpSampling3D
from tapeflow._src.keras.layers.rnn.abstract_rnn_cell import AbstractRNNCell as AbstractRNNCell
from tapeflow._src.keras.layers.rnn.bidirectional import Bidirectional as Bidirectional
from tapeflow._src.keras.layers.rnn.conv_lstm import ConvLSTM1D as ConvLSTM1D
from tapeflow._src.keras.layers.rnn.conv_lstm import ConvLSTM2D as ConvLSTM2D
from tapeflow._src.keras.layers.rnn.conv_lstm import ConvLSTM3D as ConvLSTM3D
from tapeflow._src.keras.layers.rnn.gru import GRU as GRU
from tapeflow._src.keras.layers.rnn.gru import GRUCell as GRUCell
from tapeflow._src.keras.layers.rnn.lstm import LSTM as LSTM
from tapeflow._src.keras.layers.rnn.lstm import LSTMCell as LSTMCell
from tapeflow._src.keras.layers.rnn.rnn import RNN as RNN
from tapeflow._src.keras.layers.rnn.simple_rnn import SimpleRNN as SimpleRNN
from tapeflow._src.keras.layers.rnn.simple_rnn import SimpleRNNCell as SimpleRNNCell
from tapeflow._src.keras.layers.rnn.stacked_rnn_cells import StackedRNNCells as StackedRNNCells
from tapeflow.keras.layers import experimental as experimental
