"""`tf.image`: images as tensors `[height, width, channels]`, or batches of them."""

from tapeflow._src.api.image.adjusting import adjust_brightness as adjust_brightness
from tapeflow._src.api.image.adjusting import adjust_contrast as adjust_contrast
from tapeflow._src.api.image.adjusting import adjust_gamma as adjust_gamma
from tapeflow._src.api.image.adjusting import adjust_hue as adjust_hue
from tapeflow._src.api.image.adjusting import adjust_saturation as adjust_saturation
from tapeflow._src.api.image.adjusting import per_image_standardization as per_image_standardization
from tapeflow._src.api.image.boxes import crop_and_resize as crop_and_resize
from tapeflow._src.api.image.boxes import draw_bounding_boxes as draw_bounding_boxes
from tapeflow._src.api.image.boxes import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)
from tapeflow._src.api.image.boxes import (
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from tapeflow._src.api.image.coding import decode_and_crop_jpeg as decode_and_crop_jpeg
from tapeflow._src.api.image.coding import decode_bmp as decode_bmp
from tapeflow._src.api.image.coding import decode_gif as decode_gif
from tapeflow._src.api.image.coding import decode_image as decode_image
from tapeflow._src.api.image.coding import decode_jpeg as decode_jpeg
from tapeflow._src.api.image.coding import decode_png as decode_png
from tapeflow._src.api.image.coding import encode_jpeg as encode_jpeg
from tapeflow._src.api.image.coding import encode_png as encode_png
from tapeflow._src.api.image.coding import extract_jpeg_shape as extract_jpeg_shape
from tapeflow._src.api.image.coding import is_jpeg as is_jpeg
from tapeflow._src.api.image.colors import grayscale_to_rgb as grayscale_to_rgb
from tapeflow._src.api.image.colors import hsv_to_rgb as hsv_to_rgb
from tapeflow._src.api.image.colors import rgb_to_grayscale as rgb_to_grayscale
from tapeflow._src.api.image.colors import rgb_to_hsv as rgb_to_hsv
from tapeflow._src.api.image.colors import rgb_to_yiq as rgb_to_yiq
from tapeflow._src.api.image.colors import rgb_to_yuv as rgb_to_yuv
from tapeflow._src.api.image.colors import yiq_to_rgb as yiq_to_rgb
from tapeflow._src.api.image.colors import yuv_to_rgb as yuv_to_rgb
from tapeflow._src.api.image.conversion import convert_image_dtype as convert_image_dtype
from tapeflow._src.api.image.cropping import central_crop as central_crop
from tapeflow._src.api.image.cropping import crop_to_bounding_box as crop_to_bounding_box
from tapeflow._src.api.image.cropping import pad_to_bounding_box as pad_to_bounding_box
from tapeflow._src.api.image.cropping import resize_with_crop_or_pad as resize_with_crop_or_pad
from tapeflow._src.api.image.flipping import flip_left_right as flip_left_right
from tapeflow._src.api.image.flipping import flip_up_down as flip_up_down
from tapeflow._src.api.image.flipping import random_flip_left_right as random_flip_left_right
from tapeflow._src.api.image.flipping import random_flip_up_down as random_flip_up_down
from tapeflow._src.api.image.flipping import rot90 as rot90
from tapeflow._src.api.image.flipping import (
    stateless_random_flip_left_right as stateless_random_flip_left_right,
)
from tapeflow._src.api.image.flipping import (
    stateless_random_flip_up_down as stateless_random_flip_up_down,
)
from tapeflow._src.api.image.flipping import transpose as transpose
from tapeflow._src.api.image.measures import image_gradients as image_gradients
from tapeflow._src.api.image.measures import psnr as psnr
from tapeflow._src.api.image.measures import sobel_edges as sobel_edges
from tapeflow._src.api.image.measures import total_variation as total_variation
from tapeflow._src.api.image.patches import extract_glimpse as extract_glimpse
from tapeflow._src.api.image.patches import extract_patches as extract_patches
from tapeflow._src.api.image.quality import adjust_jpeg_quality as adjust_jpeg_quality
from tapeflow._src.api.image.quality import random_jpeg_quality as random_jpeg_quality
from tapeflow._src.api.image.quality import (
    stateless_random_jpeg_quality as stateless_random_jpeg_quality,
)
from tapeflow._src.api.image.randomness import random_brightness as random_brightness
from tapeflow._src.api.image.randomness import random_contrast as random_contrast
from tapeflow._src.api.image.randomness import random_crop as random_crop
from tapeflow._src.api.image.randomness import random_hue as random_hue
from tapeflow._src.api.image.randomness import random_saturation as random_saturation
from tapeflow._src.api.image.randomness import (
    stateless_random_brightness as stateless_random_brightness,
)
from tapeflow._src.api.image.randomness import (
    stateless_random_contrast as stateless_random_contrast,
)
from tapeflow._src.api.image.randomness import stateless_random_crop as stateless_random_crop
from tapeflow._src.api.image.randomness import stateless_random_hue as stateless_random_hue
from tapeflow._src.api.image.randomness import (
    stateless_random_saturation as stateless_random_saturation,
)
from tapeflow._src.api.image.resizing import ResizeMethod as ResizeMethod
from tapeflow._src.api.image.resizing import resize as resize
from tapeflow._src.api.image.resizing import resize_with_pad as resize_with_pad
from tapeflow._src.api.image.similarity import ssim as ssim
from tapeflow._src.api.image.similarity import ssim_multiscale as ssim_multiscale
from tapeflow._src.api.image.suppression import (
    combined_non_max_suppression as combined_non_max_suppression,
)
from tapeflow._src.api.image.suppression import non_max_suppression as non_max_suppression
from tapeflow._src.api.image.suppression import (
    non_max_suppression_overlaps as non_max_suppression_overlaps,
)
from tapeflow._src.api.image.suppression import (
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
from tapeflow._src.api.image.suppression_padded import (
    non_max_suppression_padded as non_max_suppression_padded,
)
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
