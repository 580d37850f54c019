"""The providers of the large demo, made from tables of facts about real publications."""
