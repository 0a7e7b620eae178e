"""Clusters of pages with and without templates: do they follow the pages' classes, or their sites?"""
