"""Method ``sandwich``: lines that a page shares with another page of its directory."""
