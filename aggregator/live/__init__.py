"""Live search (横断検索): asks catalogues that are not harvested, when a reader wants it. Nothing of them is stored.

question    our search as a question that any catalogue can be asked
sources     the catalogues that may be asked, and how asking them has gone
wire        sends one question to one catalogue, through the guarded fetch
asking      asks in the background, within limits, keeps the answers for minutes; finds our books among the hits
parts       what is known of each catalogue, for the page and for programs
measuring   notes of every call, the pause of a catalogue that keeps failing, the figures by day
known_item  the daily search by which staff learn that a catalogue has stopped answering
report      how asking goes, for staff
sentences   what readers and staff are told, in their language
"""
