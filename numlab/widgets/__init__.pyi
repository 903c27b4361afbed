from .clouds import clouds as clouds
from .explorer import embedding_explorer as embedding_explorer
from .spell import spell as spell
from .sweep import ood_sweep as ood_sweep
from .sweep_answers import answers as answers
from .sweep_answers import swept as swept
from .upload import your_numbers as your_numbers
