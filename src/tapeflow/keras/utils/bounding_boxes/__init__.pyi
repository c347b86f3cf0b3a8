# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.utils.bounding_boxes.deltas import (
    decode_deltas_to_boxes as decode_deltas_to_boxes,
)
from tapeflow._src.keras.utils.bounding_boxes.deltas import (
    encode_box_to_deltas as encode_box_to_deltas,
)
from tapeflow._src.keras.utils.bounding_boxes.formats import convert_format as convert_format
from tapeflow._src.keras.utils.bounding_boxes.geometry import (
    clip_to_image_size as clip_to_image_size,
)
from tapeflow._src.keras.utils.bounding_boxes.geometry import affine_transform as affine_transform
from tapeflow._src.keras.utils.bounding_boxes.geometry import crop as crop
from tapeflow._src.keras.utils.bounding_boxes.geometry import pad as pad
from tapeflow._src.keras.utils.bounding_boxes.overlaps import compute_ciou as compute_ciou
from tapeflow._src.keras.utils.bounding_boxes.overlaps import compute_iou as compute_iou
