"""Work on pages in several processes: workers parse, judge and render; one owner learns, in the pages' order."""
