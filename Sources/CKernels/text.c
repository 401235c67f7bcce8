// SPDX-License-Identifier: Apache-2.0
// Searches in UTF-8 text.

#include "levels.h"

/// Returns the length of the character of UTF-8 at `p`, whose first byte is not ASCII; 0 if it is malformed or cut off.
static size_t ck_character(const uint8_t *p, const uint8_t *end) {
    size_t length = p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (length == 0 || (size_t)(end - p) < length) return 0;
    // The second byte has a narrower range after E0, ED, F0 and F4, which excludes overlong forms, surrogates and code
    // points above U+10FFFF.
    uint8_t low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    uint8_t high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
    }
    return length;
}

static inline bool ck_is_control(uint8_t byte) { return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r'; }

/// Moves over regular text byte by byte, up to `stop` or at most three bytes beyond it; returns whether all is regular.
static bool ck_skip_regular(const uint8_t *text, size_t *at, size_t stop, size_t to) {
    while (*at < stop) {
        size_t length = 1;
        if (text[*at] >= 0x80) {
            length = ck_character(text + *at, text + to);
        } else if (ck_is_control(text[*at])) {
            length = 0;
        }
        if (length == 0) return false;
        *at += length;
    }
    return true;
}

#define CK_LEVELS_OF "text_levels.h"
#define CK_WITH_VBMI 0
#include "each_level.h"

size_t ck_find_irregular(const uint8_t *text, size_t from, size_t to) {
    CK_DISPATCH3(ck_find_irregular, text, from, to);
}

size_t ck_count_lines(const uint8_t *text, size_t from, size_t to) { CK_DISPATCH3(ck_count_lines, text, from, to); }

size_t ck_find_quote(const uint8_t *text, size_t from, size_t to, uint8_t quote, bool *special) {
    CK_DISPATCH3(ck_find_quote, text, from, to, quote, special);
}
