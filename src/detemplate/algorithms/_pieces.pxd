# cython: language_level=3
# The layout of a forest that the kernel reads, as in detemplate.algorithms.forestlayout.

cdef enum:
    LANES = 32  # rows tried at a time
    WORD = 32  # leaves of a piece, one bit each
    SPREAD = 0x077CB531  # de Bruijn multiplier: the lowest bit of a word gives the leaf's place
    SHIFT = 27  # of the product, to the right: 32 different places are left

cdef extern from *:
    """
    #if defined(__AVX2__)
    #include <immintrin.h>
    #endif

    /* Give each of 32 lanes the value at its place, unless no leaf of it is left. Permutations within registers
       are faster than gathering from memory. */
    static inline void detemplate_look_up(
        float *leaf, const float *value, const unsigned *left, const int *place
    ) {
        int r;
    #if defined(__AVX2__)
        const __m256 a = _mm256_loadu_ps(value), b = _mm256_loadu_ps(value + 8);
        const __m256 c = _mm256_loadu_ps(value + 16), d = _mm256_loadu_ps(value + 24);
        for (r = 0; r < 32; r += 8) {
            const __m256i at = _mm256_loadu_si256((const __m256i *)(place + r));
            const __m256i none = _mm256_cmpeq_epi32(
                _mm256_loadu_si256((const __m256i *)(left + r)), _mm256_setzero_si256());
            /* Bits 0 to 2 choose within eight values; bits 3 and 4, as sign bits, choose among the eights. */
            const __m256 eights = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28));
            const __m256 halves = _mm256_castsi256_ps(_mm256_slli_epi32(at, 27));
            const __m256 low = _mm256_blendv_ps(
                _mm256_permutevar8x32_ps(a, at), _mm256_permutevar8x32_ps(b, at), eights);
            const __m256 high = _mm256_blendv_ps(
                _mm256_permutevar8x32_ps(c, at), _mm256_permutevar8x32_ps(d, at), eights);
            const __m256 found = _mm256_blendv_ps(low, high, halves);
            _mm256_storeu_ps(
                leaf + r, _mm256_blendv_ps(found, _mm256_loadu_ps(leaf + r), _mm256_castsi256_ps(none)));
        }
    #else
        for (r = 0; r < 32; r++)
            leaf[r] = left[r] ? value[place[r]] : leaf[r];
    #endif
    }

    /* Turn up to 32 rows of a table into lanes, column by column. Lanes without a row keep what they hold. */
    static void detemplate_turn(const float *table, Py_ssize_t rows, Py_ssize_t width, float *lanes) {
        Py_ssize_t c, r = 0, i;
    #if defined(__AVX2__)
        for (; r + 8 <= rows; r += 8) {
            const float *x = table + r * width;
            for (c = 0; c + 8 <= width; c += 8, x += 8) {
                __m256 a[8], b[8];
                for (i = 0; i < 8; i++)
                    a[i] = _mm256_loadu_ps(x + i * width);
                for (i = 0; i < 8; i += 2) {
                    b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
                    b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
                }
                for (i = 0; i < 8; i += 4) {
                    a[i] = _mm256_shuffle_ps(b[i], b[i + 2], 0x44);
                    a[i + 1] = _mm256_shuffle_ps(b[i], b[i + 2], 0xEE);
                    a[i + 2] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44);
                    a[i + 3] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xEE);
                }
                for (i = 0; i < 4; i++) {
                    _mm256_storeu_ps(lanes + (c + i) * 32 + r, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
                    _mm256_storeu_ps(lanes + (c + i + 4) * 32 + r, _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
                }
            }
            for (; c < width; c++, x++)
                for (i = 0; i < 8; i++)
                    lanes[c * 32 + r + i] = x[i * width];
        }
    #endif
        for (c = 0; c < width; c++)
            for (i = r; i < rows; i++)
                lanes[c * 32 + i] = table[i * width + c];
    }
    """
    void turn "detemplate_turn"(const float *table, Py_ssize_t rows, Py_ssize_t width, float *lanes) noexcept nogil
    void look_up "detemplate_look_up"(float *leaf, const float *value, const unsigned *left, const int *place) noexcept nogil
