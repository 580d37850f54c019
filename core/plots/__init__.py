"""Geometry of plots: pure functions from numbers to lengths, which templates draw as SVG (templates/plots/).

Horizontal lengths are in percent of the width, so that a plot is as wide as the page allows while its texts keep their
size; vertical lengths are in pixels. Only the paths of `areas` are in units of a box that is stretched to the width.
Colours are in static/css/plots.css.
"""

PERCENT = 100
