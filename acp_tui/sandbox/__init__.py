"""The sandbox: a fence of the operating system around an agent and its commands."""
