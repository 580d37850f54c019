"""Who may do what: permissions, login, single sign-on, API keys."""
