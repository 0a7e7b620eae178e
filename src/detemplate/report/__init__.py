"""Progress bars and plots."""
