"""What every figure and table is made of; it knows no subsystem."""
