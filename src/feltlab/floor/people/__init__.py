"""People: accounts, names, second factors, limits of their own, and what they did beside play."""
