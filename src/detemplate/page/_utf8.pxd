# cython: language_level=3
# Text as CPython holds it, in 1, 2 or 4 bytes a character, as UTF-8.

cdef extern from *:
    """
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* Write a character; give where the next one goes. Half a surrogate pair is none: NULL. */
    static inline unsigned char *detemplate_put(unsigned char *out, Py_UCS4 c) {
        if (c < 0x80) {
            *out++ = (unsigned char)c;
        } else if (c < 0x800) {
            *out++ = (unsigned char)(0xC0 | c >> 6);
            *out++ = (unsigned char)(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            if (c >> 11 == 0xD800 >> 11)
                return NULL;
            *out++ = (unsigned char)(0xE0 | c >> 12);
            *out++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
            *out++ = (unsigned char)(0x80 | (c & 0x3F));
        } else {
            *out++ = (unsigned char)(0xF0 | c >> 18);
            *out++ = (unsigned char)(0x80 | (c >> 12 & 0x3F));
            *out++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
            *out++ = (unsigned char)(0x80 | (c & 0x3F));
        }
        return out;
    }

    static inline unsigned char *detemplate_utf8_1(const Py_UCS1 *p, Py_ssize_t n, unsigned char *out) {
        const Py_UCS1 *end = p + n;
        while (p < end) {
    #if defined(__SSE2__)
            while (end - p >= 16) {
                const __m128i x = _mm_loadu_si128((const __m128i *)p);
                if (_mm_movemask_epi8(x))
                    break;
                _mm_storeu_si128((__m128i *)out, x);
                p += 16;
                out += 16;
            }
            if (p == end)
                break;
    #endif
            out = detemplate_put(out, *p++);
        }
        return out;
    }

    static inline unsigned char *detemplate_utf8_2(const Py_UCS2 *p, Py_ssize_t n, unsigned char *out) {
        const Py_UCS2 *end = p + n;
        while (p < end) {
    #if defined(__SSE2__)
            while (*p < 0x80 && end - p >= 8) {
                const __m128i x = _mm_loadu_si128((const __m128i *)p);
                if (_mm_movemask_epi8(_mm_cmpgt_epi16(
                        _mm_add_epi16(x, _mm_set1_epi16(-0x8000)), _mm_set1_epi16(0x7F - 0x8000))))
                    break;
                _mm_storel_epi64((__m128i *)out, _mm_packus_epi16(x, x));
                p += 8;
                out += 8;
                if (p == end)
                    return out;
            }
    #endif
            out = detemplate_put(out, *p++);
            if (!out)
                return NULL;
        }
        return out;
    }

    static inline unsigned char *detemplate_utf8_4(const Py_UCS4 *p, Py_ssize_t n, unsigned char *out) {
        const Py_UCS4 *end = p + n;
        while (p < end) {
            while (end - p >= 4 && (p[0] | p[1] | p[2] | p[3]) < 0x80) {
                out[0] = (unsigned char)p[0];
                out[1] = (unsigned char)p[1];
                out[2] = (unsigned char)p[2];
                out[3] = (unsigned char)p[3];
                p += 4;
                out += 4;
            }
            if (p == end)
                break;
            out = detemplate_put(out, *p++);
            if (!out)
                return NULL;
        }
        return out;
    }

    /* Bytes that the UTF-8 of a text may need at most. */
    static inline Py_ssize_t detemplate_most_bytes(PyObject *text) {
        const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
        if (PyUnicode_IS_ASCII(text))
            return n;
        return n * (PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND ? 2 : PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND ? 3 : 4);
    }

    /* Write a text; give where the next one goes, NULL where it holds half of a surrogate pair. */
    static inline unsigned char *detemplate_write_utf8(PyObject *text, unsigned char *out) {
        const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
        if (PyUnicode_IS_ASCII(text)) {
            memcpy(out, PyUnicode_1BYTE_DATA(text), (size_t)n);
            return out + n;
        }
        if (PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND)
            return detemplate_utf8_1(PyUnicode_1BYTE_DATA(text), n, out);
        if (PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND)
            return detemplate_utf8_2(PyUnicode_2BYTE_DATA(text), n, out);
        return detemplate_utf8_4(PyUnicode_4BYTE_DATA(text), n, out);
    }
    """
    Py_ssize_t most_bytes "detemplate_most_bytes"(object text)
    unsigned char* write_utf8 "detemplate_write_utf8"(object text, unsigned char* out)
