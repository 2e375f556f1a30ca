"""The evidence store.

The only importer of lancedb; knows no model (it receives an embed function) and no claim.
"""
