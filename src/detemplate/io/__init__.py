"""Input and output: sources read pages (`sources`), sinks write results (`sinks`)."""
