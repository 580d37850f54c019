#!/usr/bin/env python
"""Django's commands; `python3 run.py manage …` runs this inside the environment."""

import os
import sys

import django
from django.core.management import execute_from_command_line

from core.work.allocator import limit_freed_memory
from core.work.garbage import loading

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
    limit_freed_memory()
    with loading():
        django.setup()
    execute_from_command_line(sys.argv)
