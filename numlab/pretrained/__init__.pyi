from .model import Pretrained as Pretrained
from .numbers import NumberModel as NumberModel
from .source import MINILM as MINILM
from .source import locate as locate
