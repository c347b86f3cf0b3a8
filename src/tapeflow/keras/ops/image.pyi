# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.ops.families import family as family
from tapeflow._src.keras.ops.images import crop_images as crop_images
from tapeflow._src.keras.ops.images import extract_patches as extract_patches
from tapeflow._src.keras.ops.images import extract_patches_3d as extract_patches_3d
from tapeflow._src.keras.ops.images import hsv_to_rgb as hsv_to_rgb
from tapeflow._src.keras.ops.images import pad_images as pad_images
from tapeflow._src.keras.ops.images import resize as resize
from tapeflow._src.keras.ops.images import rgb_to_grayscale as rgb_to_grayscale
from tapeflow._src.keras.ops.images import rgb_to_hsv as rgb_to_hsv
from tapeflow._src.keras.ops.resampling import scale_and_translate as scale_and_translate
from tapeflow._src.keras.ops.resampling import sobel_edges as sobel_edges
from tapeflow._src.keras.ops.resampling import ssim as ssim
from tapeflow._src.keras.ops.warping import affine_transform as affine_transform
from tapeflow._src.keras.ops.warping import elastic_transform as elastic_transform
from tapeflow._src.keras.ops.warping import gaussian_blur as gaussian_blur
from tapeflow._src.keras.ops.warping import map_coordinates as map_coordinates
from tapeflow._src.keras.ops.warping import perspective_transform as perspective_transform
