from .model import Pretrained as Pretrained
from .model import PretrainedModel as PretrainedModel
from .numbers import NumberModel as NumberModel
from .source import MINILM as MINILM
from .source import locate as locate
from .text import PretrainedTokenizer as PretrainedTokenizer
from .writer import PretrainedWriter as PretrainedWriter
