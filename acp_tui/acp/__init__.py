"""The words of the Agent Client Protocol, one file a page of its documentation."""
