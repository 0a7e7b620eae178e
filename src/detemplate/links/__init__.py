"""What links outside of templates serve: ranking, related pages, focused crawling."""
