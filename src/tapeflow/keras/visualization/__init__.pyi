# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.visualization.drawing import (
    draw_segmentation_masks as draw_segmentation_masks,
)
from tapeflow._src.keras.visualization.drawing import draw_bounding_boxes as draw_bounding_boxes
from tapeflow._src.keras.visualization.galleries import (
    plot_bounding_box_gallery as plot_bounding_box_gallery,
)
from tapeflow._src.keras.visualization.galleries import (
    plot_segmentation_mask_gallery as plot_segmentation_mask_gallery,
)
from tapeflow._src.keras.visualization.galleries import plot_image_gallery as plot_image_gallery
