"""Access control: permissions, login, single sign-on and API keys."""
