import pytest

from detemplate.sites.naming import site_of


@pytest.mark.parametrize(
    ("url", "host", "domain", "directory"),
    [
        ("http://News.BBC.co.uk:80/a/b?c/d", "news.bbc.co.uk", "bbc.co.uk", "news.bbc.co.uk/a/"),
        ("https://u:p@e.org:443/", "e.org", "e.org", "e.org/"),
        ("https://e.org:8443", "e.org:8443", "e.org", "e.org:8443/"),
        ("http://e.org:443/x", "e.org:443", "e.org", "e.org:443/"),
        ("http://e.org./x", "e.org", "e.org", "e.org/"),
        ("http://192.168.1.1/a/", "192.168.1.1", "192.168.1.1", "192.168.1.1/a/"),
        ("http://localhost:8000/a", "localhost:8000", "localhost:8000", "localhost:8000/"),
        ("http://[::1]:80/a/b", "[::1]", "[::1]", "[::1]/a/"),
        ("http://[broken/a", "[broken", "[broken", "[broken/"),
        ("file:///home/x/a.html", "file:", "file:", "file:/home/x/"),
        ("a/b.html", "", "", "a/"),
        ("", "", "", "/"),
    ],
)
def test_names_of_sites(url, host, domain, directory):
    assert [site_of(url, way) for way in ("host", "domain", "directory")] == [host, domain, directory]
