#!/usr/bin/env python
"""Django's commands; `python3 run.py manage …` runs this inside the environment."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
    execute_from_command_line(sys.argv)
