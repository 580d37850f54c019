"""What belongs to giving stamps (`provision.stamping`).

barrier     lets listing wait for stamping
list_sizes  how many entries the lists have
"""
