"""What notebooks show: filed with its data and sources, made as a batch, hung in a gallery."""
