"""Files, frames and databases to Arrow batches."""
