"""The spiders."""
