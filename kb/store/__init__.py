"""The evidence store in LanceDB."""
