"""Know models on the Hugging Face hub, look up their files, and fetch them."""
