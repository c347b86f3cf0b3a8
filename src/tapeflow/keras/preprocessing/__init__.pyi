# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.utils.image_dataset import (
    image_dataset_from_directory as image_dataset_from_directory,
)
from tapeflow._src.keras.utils.text_dataset import (
    text_dataset_from_directory as text_dataset_from_directory,
)
from tapeflow._src.keras.utils.timeseries_dataset import (
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
from tapeflow.keras.preprocessing import image as image
from tapeflow.keras.preprocessing import sequence as sequence
from tapeflow.keras.preprocessing import text as text
