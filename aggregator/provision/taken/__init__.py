"""Who took our data: the lists that harvesters have read to their end, and which records were in them."""
