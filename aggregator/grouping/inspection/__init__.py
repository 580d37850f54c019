"""What staff and readers see of the groups: why records are together, duplicates within a provider, alarms."""
