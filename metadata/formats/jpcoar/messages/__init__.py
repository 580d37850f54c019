"""Messages of the JPCOAR rules, by the part of the record that they concern."""
