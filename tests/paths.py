"""Folders that tests read: the repository, and the data beside it, which may be absent."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "sampleprovider" / "demo"
SHARED = ROOT.parent / "shared"
SAMPLES = SHARED / "samples"
SCHEMAS = SHARED / "schemas"
TRUTH = SHARED / "truth"
