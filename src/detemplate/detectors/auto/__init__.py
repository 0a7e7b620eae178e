"""The default method ``auto``: features of the page and of its site, judged by trained forests."""
