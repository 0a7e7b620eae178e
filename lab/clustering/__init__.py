"""Clusters of pages with and without templates follow the pages' classes or their sites."""
