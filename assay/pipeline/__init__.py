"""What a run of the study tells while it goes on and at its end."""
