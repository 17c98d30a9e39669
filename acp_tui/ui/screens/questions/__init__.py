"""Dialogs for what an agent asks: permissions, writes, forms, addresses and logins."""
