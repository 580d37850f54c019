"""Citations of records for people and for reference managers: APA, SIST 02, BibTeX, RIS, CSL JSON, COinS."""
