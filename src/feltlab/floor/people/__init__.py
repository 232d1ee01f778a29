"""People: accounts, names, second factors, their own limits, and the record of acts beside play."""
