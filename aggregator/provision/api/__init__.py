"""The JSON interface, defined by tables from which the views, the OpenAPI document and the documentation are made.

operations  the addresses, with their parameters and possible answers
parameters  the parameters, with meaning, schema and example
shapes      the answers, as types
answers     makes the answers from the catalogue
openapi     makes the OpenAPI document
problems    error responses (RFC 9457)
views       the views
"""
