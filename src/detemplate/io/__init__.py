"""Getting pages in and results out: sources (`sources`) and sinks (`sinks`)."""
