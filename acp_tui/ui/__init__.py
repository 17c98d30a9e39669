"""What the person sees."""
