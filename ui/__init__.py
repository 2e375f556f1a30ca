"""What people see. Knows gradio; knows no model and no store."""
