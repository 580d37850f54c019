"""Live search (横断検索): asks catalogues that are not harvested, when a reader wants it. Nothing of them is stored.

question    our search as a question that any catalogue can be asked
sources     the catalogues that may be asked, and how asking them has gone
asking      asks in the background, within limits, and keeps the answers for some minutes
own_books   which hits are books of our catalogue
measuring   notes of every call, the pause of a catalogue that keeps failing, the figures by day
known_item  the daily search by which staff learn that a catalogue has stopped answering
sentences   what readers and staff are told, in their language
"""
