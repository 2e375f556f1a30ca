"""What several stages need of words; imports no stage."""
