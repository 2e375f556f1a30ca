"""The Hugging Face hub: which models are known, what it says of a file, and how a file is fetched."""
