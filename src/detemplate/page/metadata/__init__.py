"""What a page says of itself: title, author, dates, language, site, canonical URL, description, image, type."""
