"""The floor: live tables with seats, chips, sealed shoes and a ledger, all stored in a database."""
