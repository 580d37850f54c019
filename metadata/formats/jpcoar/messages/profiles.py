"""How the rules of JPCOAR and junii2 count where IRDB's practice is not the house's own. Knows no rule.

The severities in the tables are IRDB's; these are the differences.
"""

from metadata.issue import Severity

# How IRDB wants it written; a provider that knows neither IRDB nor NDL is only told.
STYLE = {"lax": Severity.INFORMATION}
# What only IRDB does with a record: registering DOIs, passing theses on, Japan Grant Numbers.
HOUSE = {"ndl": Severity.INFORMATION, "lax": None}
NOT_ABROAD = {"lax": None}
# What IRDB refuses a record for, though there is something to show and to link to.
REFUSED_AT_HOME = {"lax": Severity.ITEM_ERROR}
TOLD_AT_HOME = {"lax": Severity.WARNING}
