# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.layers.preprocessing.preprocessing_layer import (
    PreprocessingLayer as PreprocessingLayer,
)
from tapeflow.keras.layers import CategoryEncoding as CategoryEncoding
from tapeflow.keras.layers import CenterCrop as CenterCrop
from tapeflow.keras.layers import Discretization as Discretization
from tapeflow.keras.layers import HashedCrossing as HashedCrossing
from tapeflow.keras.layers import Hashing as Hashing
from tapeflow.keras.layers import IntegerLookup as IntegerLookup
from tapeflow.keras.layers import Normalization as Normalization
from tapeflow.keras.layers import RandomContrast as RandomContrast
from tapeflow.keras.layers import RandomCrop as RandomCrop
from tapeflow.keras.layers import RandomFlip as RandomFlip
from tapeflow.keras.layers import RandomHeight as RandomHeight
from tapeflow.keras.layers import RandomRotation as RandomRotation
from tapeflow.keras.layers import RandomTranslation as RandomTranslation
from tapeflow.keras.layers import RandomWidth as RandomWidth
from tapeflow.keras.layers import RandomZoom as RandomZoom
from tapeflow.keras.layers import Rescaling as Rescaling
from tapeflow.keras.layers import Resizing as Resizing
from tapeflow.keras.layers import StringLookup as StringLookup
from tapeflow.keras.layers import TextVectorization as TextVectorization
