"""Search the web.

Every way an engine can fail to answer has its own name; none means "no evidence".
"""
