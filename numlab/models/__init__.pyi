from .base import Architecture as Architecture
from .base import Model as Model
from .positions import Abacus as Abacus
from .positions import Absolute as Absolute
from .transformer import GPT2 as GPT2
from .transformer import Llama as Llama
from .transformer import ModelSpec as ModelSpec
from .transformer import Transformer as Transformer
