"""How well each model does what it is there for, on named public splits and on claims of our own."""
