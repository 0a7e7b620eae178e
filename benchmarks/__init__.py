"""Commands that measure quality, speed and memory."""
