"""What the person can put into a prompt, without a screen."""
