"""Work beside the tables: workers, simulations, exact figures, and tables being set up."""
