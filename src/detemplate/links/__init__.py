"""What clean links are good for: ranking, related pages, the order of a crawl."""
