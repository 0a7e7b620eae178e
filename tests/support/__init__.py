"""What tests share: made pages, sites and crawls, and small helpers."""
