"""The evidence store. The only importer of lancedb; knows no model (it is handed an embed function) and no claim."""
