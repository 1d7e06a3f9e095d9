"""Rows of a source to a table: the one way in, wherever the rows lie.

source --batches, cells--> survey --judge, decide--> decision --encode--> table of blocks; match: new rows.
"""
