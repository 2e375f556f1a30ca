"""Make the weights in models/weights: one script per model, one shared loader, one GGUF exporter."""
