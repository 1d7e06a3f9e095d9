"""Rules: grow a rule by what it tells, take its rows away, look the list over once more."""

from tallystick.learners.rules.learner import RuleLearner

__all__ = ["RuleLearner"]
