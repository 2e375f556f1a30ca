"""What an instruct model is asked, and how its answers are checked."""
