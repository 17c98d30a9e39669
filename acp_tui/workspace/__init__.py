"""Files inside the roots, and real terminals, as lent to an agent."""
