"""Learn a scorecard: lines, points that the rows bear out, pairs of columns that pay for themselves."""

from tallystick.learners.scorecard.learner import ScorecardLearner

__all__ = ["ScorecardLearner"]
