"""Encoded rows: blocks, and tables of blocks in memory and on disk.

block  table  disk  subset (some rows, as if there were no others)  ranks  hashes
"""
