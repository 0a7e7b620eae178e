"""Pages made of a real template and the real content of another site: what is content is known exactly."""
