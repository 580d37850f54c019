"""What every door says about the whole, in the words of the site itself."""

from django.utils.translation import gettext_lazy

NAME = gettext_lazy("Library Aggregator")
ABOUT = gettext_lazy(
    "One search over the catalogues of many libraries. Each record belongs to its provider and leads back there."
)
