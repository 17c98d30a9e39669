"""An agent that needs no model: it shows every feature, and the tests talk to it."""
