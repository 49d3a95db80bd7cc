"""Ask, don't guess: the fields of a dialect, measured from a chat template."""

from message_history_measure.bounded import Measurement, TooCostlyError, measure_template
from message_history_measure.sandbox import TemplateRefusedError

__all__ = ["Measurement", "TemplateRefusedError", "TooCostlyError", "measure_template"]
