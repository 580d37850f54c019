"""Live search (横断検索): a reader's search is passed on to catalogues that are not harvested. Nothing is stored.

Such a catalogue is called a live source (横断検索先).

question    converts a search of this site into a question for live sources
sources     the live sources that may be searched, each with its state
wire        sends one question to one live source, through the guarded fetch
asking      asks in the background, within limits; keeps the answers for minutes; finds hits that are books of this site
parts       the answers as the page and programs get them
measuring   stores the outcome of every request and the daily figures; pauses a source that keeps failing
known_item  the daily search by which staff learn that a live source has stopped answering
report      the state of the live sources, for staff
sentences   texts for readers and staff
"""
