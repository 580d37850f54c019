"""Name and description of the site, which several interfaces publish."""

from django.utils.translation import gettext_lazy

NAME = gettext_lazy("Library Aggregator")
ABOUT = gettext_lazy(
    "One search across the catalogues of many libraries. Each record belongs to its provider and links back to it."
)
