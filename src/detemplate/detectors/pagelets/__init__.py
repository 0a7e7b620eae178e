"""Method ``pagelets``: regions of few links (pagelets) that several pages share."""
