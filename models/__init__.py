"""Local models behind small interfaces. Knows no claim and no evidence: texts in, numbers out."""
