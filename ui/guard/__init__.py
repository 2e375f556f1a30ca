"""Guard Gradio: check who asks, for what, how much of it, and in which shape."""
