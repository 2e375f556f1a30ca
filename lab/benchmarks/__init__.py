"""Speed, memory and accuracy, measured on the machine that runs it."""
