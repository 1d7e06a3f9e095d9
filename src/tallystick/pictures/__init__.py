"""Pictures of the ideas: each function returns an SVG picture that a notebook shows and `save` writes.

`ts.pictures.entropy()`, `ts.pictures.regions("iris.csv", "species")`, ...; on the command line `tally draw`.
"""

from tallystick.pictures.ascent import likelihood
from tallystick.pictures.curves import entropy, sigmoid
from tallystick.pictures.planes import regions
from tallystick.pictures.priors import prior
from tallystick.pictures.tables import overfitting, shares

__all__ = ["entropy", "likelihood", "overfitting", "prior", "regions", "shares", "sigmoid"]
