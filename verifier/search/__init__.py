"""Asking search engines. Every way an engine can fail to answer has its own name; none of them means "no evidence"."""
