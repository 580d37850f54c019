"""What a registration agency is given so that it registers a DOI: one XML document for each kind of publication.

Pure. The agencies' tables are named in the modules that write the documents.
"""
