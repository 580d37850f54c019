"""The JSON interface: its operations and shapes in one table, from which answers and documentation are made.

operations  every address with its parameters and what it answers
shapes      the answers, as types
answers     the answers, from the catalogue
openapi     the table as an OpenAPI document
problems    what is said when something cannot be done (RFC 9457)
"""
