"""Interlibrary loan (図書館間相互貸借): what a request contains, its states, whom to ask, how it is sent."""
