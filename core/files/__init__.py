"""The files that all machines of a site have in common: uploads, dumps and the packages of ResourceSync.

`shared` is what other code uses. `settings.STORAGES["files"]` says where they are: `folder` keeps them in
AGGREGATOR_DATA, which suffices on one machine; `bucket` keeps them in an S3 bucket. All other files in AGGREGATOR_DATA
belong to one machine.

Names look like "dumps/20261127T030000Z/manifest.json". A file appears whole or not at all, and a second file of the
same name replaces the first.
"""
