"""Public and own data, read, cleaned and split once for training and for measuring."""
