"""The scenes of the demo agent."""
