from .curriculum import Curriculum as Curriculum
from .fit import train as train
from .learning_rates import choose_learning_rates as choose_learning_rates
from .many import train_all as train_all
from .run import Run as Run
from .run import stored_runs as stored_runs
from .spec import RunSpec as RunSpec
from .timing import step_costs as step_costs
