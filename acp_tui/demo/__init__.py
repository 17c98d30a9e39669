"""A demo agent: an independent implementation of the protocol that plays scenes."""
