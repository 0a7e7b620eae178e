# cython: language_level=3
# Flags of tag names, as in detemplate.page.tags. Kernels cimport them as a whole, since some have the names of
# node kinds:
#
#     from cython.cimports.detemplate.page import _tags as tags

cdef enum:
    VOID = 1
    RAW = 2
    UNSEEN = 4
    BLOCK = 8
    SVG = 16
    MATH = 32
    SVG_HTML = 64
    MATH_HTML = 128
    ANNOTATION = 256
    GLYPH = 512
    SCRIPT = 1024
    PLAINTEXT = 2048
    FOREIGN_UNSEEN = 4096
    CODE = 8192

    IN_SVG = 0x8000
    IN_MATH = 0x4000
    FOREIGN = 0xC000
    NUMBER = 0x3FFF

    SLOTS = 1024
