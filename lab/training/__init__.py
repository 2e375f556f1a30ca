"""How the weights in models/weights were made: one script per model, one shared loader, one GGUF exporter."""
