"""The report card of the twelve encoders that `numlab bench` grades."""

import time

from numlab.probes.desiderata import report_card, standard


def test_twelve_encoders_take_less_than_half_a_minute_of_one_core():
    start = time.process_time()
    assert report_card(standard()).encoder.nunique() == 12
    assert time.process_time() - start < 30
