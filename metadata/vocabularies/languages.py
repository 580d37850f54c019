"""Japanese and English names of languages, by the ISO 639-2 codes that libraries use."""

from metadata.vocabularies.labels import read_labels

NAMES = read_labels("languages")
