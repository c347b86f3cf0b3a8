# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.preprocessing.image.array_iterator import (
    NumpyArrayIterator as NumpyArrayIterator,
)
from tapeflow._src.keras.preprocessing.image.file_iterators import (
    DataFrameIterator as DataFrameIterator,
)
from tapeflow._src.keras.preprocessing.image.file_iterators import (
    DirectoryIterator as DirectoryIterator,
)
from tapeflow._src.keras.preprocessing.image.generator import (
    ImageDataGenerator as ImageDataGenerator,
)
from tapeflow._src.keras.preprocessing.image.iterator import Iterator as Iterator
from tapeflow._src.keras.preprocessing.image.transforms import (
    apply_affine_transform as apply_affine_transform,
)
from tapeflow._src.keras.preprocessing.image.transforms import (
    apply_brightness_shift as apply_brightness_shift,
)
from tapeflow._src.keras.preprocessing.image.transforms import (
    apply_channel_shift as apply_channel_shift,
)
from tapeflow._src.keras.preprocessing.image.transforms import (
    random_brightness as random_brightness,
)
from tapeflow._src.keras.preprocessing.image.transforms import (
    random_channel_shift as random_channel_shift,
)
from tapeflow._src.keras.preprocessing.image.transforms import random_rotation as random_rotation
from tapeflow._src.keras.preprocessing.image.transforms import random_shear as random_shear
from tapeflow._src.keras.preprocessing.image.transforms import random_shift as random_shift
from tapeflow._src.keras.preprocessing.image.transforms import random_zoom as random_zoom
from tapeflow._src.keras.utils.images import array_to_img as array_to_img
from tapeflow._src.keras.utils.images import img_to_array as img_to_array
from tapeflow._src.keras.utils.images import load_img as load_img
from tapeflow._src.keras.utils.images import save_img as save_img
from tapeflow._src.keras.utils.images import smart_resize as smart_resize
