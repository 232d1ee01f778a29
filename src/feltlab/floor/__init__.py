"""The floor: live tables with seats, chips, sealed shoes and a ledger, all of it kept in a database."""
