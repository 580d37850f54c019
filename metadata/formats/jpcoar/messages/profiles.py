"""Severities of JPCOAR and junii2 rules in profiles other than IRDB's. Contains no rules.

The severities in the tables of messages are IRDB's; these are the differences.
"""

from metadata.issue import Severity

# Rules about style in IRDB's guidelines. In the profile "lax" (for providers that follow neither IRDB nor NDL) they are
# only information.
STYLE = {"lax": Severity.INFORMATION}
# Rules that only services of IRDB need: registering DOIs, passing on theses, Japan Grant Numbers.
IRDB_SERVICES = {"ndl": Severity.INFORMATION, "lax": None}
NOT_IN_LAX = {"lax": None}
# Rules by which IRDB does not register a record, although the record has something to show and to link to.
ITEM_ERROR_IN_LAX = {"lax": Severity.ITEM_ERROR}
WARNING_IN_LAX = {"lax": Severity.WARNING}
