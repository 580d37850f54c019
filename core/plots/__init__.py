"""Geometry of plots: pure functions from numbers to lengths, which templates draw as SVG (templates/plots/).

A plot is drawn in a box of WIDTH units that is stretched to the width of the page; texts are placed beside it in
percent, so that they keep their size on a narrow screen. Colours are in static/css/plots.css.
"""

WIDTH = 1000  # units from left to right, whatever the width on the page
