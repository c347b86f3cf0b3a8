# Made by `make stubs` from the table in the module of the same name.

from tapeflow.keras.datasets import boston_housing as boston_housing
from tapeflow.keras.datasets import california_housing as california_housing
from tapeflow.keras.datasets import cifar10 as cifar10
from tapeflow.keras.datasets import cifar100 as cifar100
from tapeflow.keras.datasets import fashion_mnist as fashion_mnist
from tapeflow.keras.datasets import imdb as imdb
from tapeflow.keras.datasets import mnist as mnist
from tapeflow.keras.datasets import reuters as reuters
