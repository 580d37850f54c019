"""The numbered diagnostics of SRU, from the SRU diagnostics list (info:srw/diagnostic/1)."""

URI = "info:srw/diagnostic/1/"
MESSAGES = {
    1: "General system error",
    2: "System temporarily unavailable",
    4: "Unsupported operation",
    5: "Unsupported version",
    6: "Unsupported parameter value",
    7: "Mandatory parameter not supplied",
    8: "Unsupported parameter",
    10: "Query syntax error",
    12: "Too many characters in query",
    13: "Invalid or unsupported use of parentheses",
    14: "Invalid or unsupported use of quotes",
    15: "Unsupported context set",
    16: "Unsupported index",
    19: "Unsupported relation",
    20: "Unsupported relation modifier",
    22: "Unsupported combination of relation and index",
    23: "Too many characters in term",
    26: "Non special character escaped in term",
    27: "Empty term unsupported",
    28: "Masking character not supported",
    29: "Masked words too short",
    30: "Too many masking characters in term",
    31: "Anchoring character not supported",
    33: "Combination of proximity/adjacency and masking characters not supported",
    35: "Term contains only stopwords",
    36: "Term in invalid format for index or relation",
    37: "Unsupported boolean operator",
    38: "Too many boolean operators in query",
    39: "Proximity not supported",
    46: "Unsupported boolean modifier",
    47: "Cannot process query; reason unknown",
    50: "Result sets not supported",
    60: "Result set created with unpredictable partial results available",
    61: "First record position out of range",
    64: "Record temporarily unavailable",
    66: "Unknown schema for retrieval",
    68: "Not authorized to send record",
    71: "Unsupported record packing",
    72: "XPath retrieval unsupported",
    80: "Sort not supported",
    84: "Too many sort keys to sort",
    87: "Unsupported schema for sort",
    88: "Unsupported path for sort",
    90: "Unsupported direction",
    91: "Unsupported case",
    92: "Unsupported missing value action",
    94: "Sort spec included both in query and protocol: query prevails",
    110: "Stylesheets not supported",
}


class Diagnostic(Exception):
    """A request that cannot be answered. details: the offending part, its position, or the limit. hint: what to do."""

    def __init__(self, code: int, details: str = "", hint: str = "") -> None:
        super().__init__(f"{code} {details}")
        self.code = code
        self.details = details
        self.hint = hint

    @property
    def uri(self) -> str:
        return f"{URI}{self.code}"

    @property
    def message(self) -> str:
        """The message of the standard, followed by the hint."""
        return f"{MESSAGES[self.code]}. {self.hint}" if self.hint else MESSAGES[self.code]
