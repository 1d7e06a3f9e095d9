"""What every fitted model is made of, and its file."""
