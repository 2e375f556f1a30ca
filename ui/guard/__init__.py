"""The guard in front of Gradio: checks who asks, for what, how much of it, and in which shape."""
