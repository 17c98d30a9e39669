"""The workspace lent to an agent: files, terminals and the processes behind them."""
