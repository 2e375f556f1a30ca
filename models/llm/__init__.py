"""Run local instruct models: messages in, text or JSON of a schema out."""
