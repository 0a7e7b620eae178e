# cython: language_level=3
# The layout of a forest that the kernel reads, as in detemplate.algorithms.forestlayout, and what it does with
# vectors.

cdef enum:
    LANES = 32  # rows tried at a time
    WORD = 32  # leaves of a piece, one bit each
    SPREAD = 0x077CB531  # de Bruijn multiplier: the lowest bit of a word gives the leaf's place
    SHIFT = 27  # of the product, to the right: 32 different places are left
    CHUNK = 256  # pieces worked on at a time
    STEP = 8  # conditions of one column whose thresholds are compared at a time


cdef enum:
    ALIGNED = 64  # bytes of a vector, and of a line of the processor's cache

cdef extern from *:
    """
    #if defined(__AVX2__)
    #include <immintrin.h>
    #elif defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* Find the lowest and the highest number of each column; with NaN anywhere, they are -inf and NaN. */
    static void detemplate_find_ranges(
        const float *table, Py_ssize_t rows, Py_ssize_t width, float *low, float *high
    ) {
        Py_ssize_t c = 0, r, i;
        int nan = 0; /* once it is found, the other numbers do not matter */
    #if defined(__AVX512F__)
        /* Eight rows at a time: the table is read in the order in which it stands in memory. */
        for (r = 0; r < rows; r += 8) {
            const float *x = table + r * width;
            Py_ssize_t step[8];
            for (i = 0; i < 8; i++)
                step[i] = r + i < rows ? i * width : 0;
            for (c = 0; c + 16 <= width; c += 16, x += 16) {
                __m512 a[8], least, most;
                __mmask16 other = 0;
                for (i = 0; i < 8; i++)
                    a[i] = _mm512_loadu_ps(x + step[i]);
                for (i = 0; i < 8; i += 2)
                    other |= _mm512_cmp_ps_mask(a[i], a[i + 1], _CMP_UNORD_Q);
                least = _mm512_min_ps(
                    _mm512_min_ps(_mm512_min_ps(a[0], a[1]), _mm512_min_ps(a[2], a[3])),
                    _mm512_min_ps(_mm512_min_ps(a[4], a[5]), _mm512_min_ps(a[6], a[7])));
                most = _mm512_max_ps(
                    _mm512_max_ps(_mm512_max_ps(a[0], a[1]), _mm512_max_ps(a[2], a[3])),
                    _mm512_max_ps(_mm512_max_ps(a[4], a[5]), _mm512_max_ps(a[6], a[7])));
                if (r) {
                    least = _mm512_min_ps(least, _mm512_loadu_ps(low + c));
                    most = _mm512_max_ps(most, _mm512_loadu_ps(high + c));
                }
                _mm512_storeu_ps(low + c, least);
                _mm512_storeu_ps(high + c, most);
                nan |= other;
            }
        }
    #elif defined(__AVX2__)
        /* Four rows at a time: the table is read in the order in which it stands in memory. */
        __m256 other = _mm256_setzero_ps();
        for (r = 0; r < rows; r += 4) {
            const float *x = table + r * width;
            const Py_ssize_t second = r + 1 < rows ? width : 0, third = r + 2 < rows ? 2 * width : 0;
            const Py_ssize_t fourth = r + 3 < rows ? 3 * width : 0;
            for (c = 0; c + 8 <= width; c += 8, x += 8) {
                const __m256 a = _mm256_loadu_ps(x), b = _mm256_loadu_ps(x + second);
                const __m256 d = _mm256_loadu_ps(x + third), e = _mm256_loadu_ps(x + fourth);
                __m256 least = _mm256_min_ps(_mm256_min_ps(a, b), _mm256_min_ps(d, e));
                __m256 most = _mm256_max_ps(_mm256_max_ps(a, b), _mm256_max_ps(d, e));
                if (r) {
                    least = _mm256_min_ps(least, _mm256_loadu_ps(low + c));
                    most = _mm256_max_ps(most, _mm256_loadu_ps(high + c));
                }
                _mm256_storeu_ps(low + c, least);
                _mm256_storeu_ps(high + c, most);
                other = _mm256_or_ps(
                    other, _mm256_or_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q), _mm256_cmp_ps(d, e, _CMP_UNORD_Q)));
            }
        }
        nan = _mm256_movemask_ps(other);
    #endif
        for (i = c; i < width; i++)
            low[i] = high[i] = table[i];
        for (r = 0; r < rows; r++)
            for (i = c; i < width; i++) {
                const float x = table[r * width + i];
                low[i] = x < low[i] ? x : low[i];
                high[i] = x > high[i] ? x : high[i];
                nan |= x != x;
            }
        for (c = 0; nan && c < width; c++) {
            low[c] = -(float)Py_HUGE_VAL;
            high[c] = (float)Py_NAN;
        }
    }

    /* Count the conditions of a step that all rows fail, and those that some row fails: all if `high` is NaN.
       The thresholds of a step ascend, so these are its first ones. */
    static inline void detemplate_part(const float *limits, float low, float high, int *fail, int *some) {
    #if defined(__AVX2__)
        const __m256 x = _mm256_loadu_ps(limits);
        const __m256 all = _mm256_cmp_ps(x, _mm256_set1_ps(low), _CMP_LT_OQ);
        const __m256 any = _mm256_cmp_ps(x, _mm256_set1_ps(high), _CMP_NGE_UQ);
        *fail = __builtin_popcount(_mm256_movemask_ps(all));
        *some = __builtin_popcount(_mm256_movemask_ps(any));
    #elif defined(__SSE2__)
        static const char ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
        const __m128 x = _mm_loadu_ps(limits), y = _mm_loadu_ps(limits + 4);
        const __m128 lows = _mm_set1_ps(low), highs = _mm_set1_ps(high);
        *fail = ones[_mm_movemask_ps(_mm_cmplt_ps(x, lows))] + ones[_mm_movemask_ps(_mm_cmplt_ps(y, lows))];
        *some = ones[_mm_movemask_ps(_mm_cmpnge_ps(x, highs))] + ones[_mm_movemask_ps(_mm_cmpnge_ps(y, highs))];
    #else
        int i, below_low = 0, below_high = 0;
        for (i = 0; i < 8; i++) {
            below_low += limits[i] < low;
            below_high += !(limits[i] >= high);
        }
        *fail = below_low;
        *some = below_high;
    #endif
    }

    /* Write eight numbers in a row, from `first` on. */
    static inline void detemplate_count_up(unsigned *to, unsigned first) {
    #if defined(__AVX2__)
        _mm256_storeu_si256(
            (__m256i *)to,
            _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
    #else
        int i;
        for (i = 0; i < 8; i++)
            to[i] = first + i;
    #endif
    }

    /* Try a condition on 32 lanes of one column: strike out leaves where a lane fails, as NaN does. */
    static inline void detemplate_strike(const float *x, float limit, unsigned left, unsigned *struck) {
        int r;
    #if defined(__AVX512F__)
        const __m512 limits = _mm512_set1_ps(limit);
        const __m512i lefts = _mm512_set1_epi32((int)left);
        for (r = 0; r < 32; r += 16) {
            const __m512i s = _mm512_loadu_si512(struck + r);
            const __mmask16 fails = _mm512_cmp_ps_mask(_mm512_loadu_ps(x + r), limits, _CMP_NLE_UQ);
            _mm512_storeu_si512(struck + r, _mm512_mask_or_epi32(s, fails, s, lefts));
        }
    #elif defined(__AVX2__)
        const __m256 limits = _mm256_set1_ps(limit);
        const __m256i lefts = _mm256_set1_epi32((int)left);
        for (r = 0; r < 32; r += 8) {
            const __m256i fails = _mm256_castps_si256(_mm256_cmp_ps(_mm256_loadu_ps(x + r), limits, _CMP_NLE_UQ));
            const __m256i s = _mm256_loadu_si256((const __m256i *)(struck + r));
            _mm256_storeu_si256((__m256i *)(struck + r), _mm256_or_si256(s, _mm256_and_si256(fails, lefts)));
        }
    #else
        for (r = 0; r < 32; r++)
            struck[r] |= x[r] <= limit ? 0 : left;
    #endif
    }

    /* Look up the first leaf that each lane has left in a piece, and take its value if there is one.
       Permutations within registers are faster than gathering from memory. */
    static inline void detemplate_look_up(
        const unsigned *struck, unsigned start, const float *value, float *leaf
    ) {
        int r;
    #if defined(__AVX512F__)
        const __m512 a = _mm512_loadu_ps(value), b = _mm512_loadu_ps(value + 16);
        const __m512i one = _mm512_set1_epi32(1), all = _mm512_set1_epi32((int)start);
        const __m512i spread = _mm512_set1_epi32(0x077CB531);
        for (r = 0; r < 32; r += 16) {
            const __m512i s = _mm512_or_si512(_mm512_loadu_si512(struck + r), all);
            const __m512i left = _mm512_andnot_si512(s, _mm512_add_epi32(s, one));
            const __m512i at = _mm512_srli_epi32(_mm512_mullo_epi32(left, spread), 27);
            _mm512_storeu_ps(
                leaf + r,
                _mm512_mask_mov_ps(
                    _mm512_loadu_ps(leaf + r), _mm512_test_epi32_mask(left, left),
                    _mm512_permutex2var_ps(a, at, b)));
        }
    #elif defined(__AVX2__)
        const __m256 a = _mm256_loadu_ps(value), b = _mm256_loadu_ps(value + 8);
        const __m256 c = _mm256_loadu_ps(value + 16), d = _mm256_loadu_ps(value + 24);
        const __m256i one = _mm256_set1_epi32(1), all = _mm256_set1_epi32((int)start);
        const __m256i spread = _mm256_set1_epi32(0x077CB531);
        for (r = 0; r < 32; r += 8) {
            const __m256i s = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(struck + r)), all);
            const __m256i left = _mm256_andnot_si256(s, _mm256_add_epi32(s, one));
            const __m256i at = _mm256_srli_epi32(_mm256_mullo_epi32(left, spread), 27);
            const __m256i none = _mm256_cmpeq_epi32(left, _mm256_setzero_si256());
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
        unsigned left[32], place[32];
        for (r = 0; r < 32; r++) {
            const unsigned s = struck[r] | start;
            left[r] = ~s & (s + 1);
            place[r] = (left[r] * 0x077CB531u) >> 27;
        }
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
    void find_ranges "detemplate_find_ranges"(
        const float *table, Py_ssize_t rows, Py_ssize_t width, float *low, float *high
    ) noexcept nogil
    void part "detemplate_part"(const float *limits, float low, float high, int *fail, int *some) noexcept nogil
    void count_up "detemplate_count_up"(unsigned *to, unsigned first) noexcept nogil
    void strike "detemplate_strike"(const float *x, float limit, unsigned left, unsigned *struck) noexcept nogil
    void look_up "detemplate_look_up"(
        const unsigned *struck, unsigned start, const float *value, float *leaf
    ) noexcept nogil
