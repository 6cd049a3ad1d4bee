// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The classic automaton of Aho and Corasick, made complete: one table look-up per byte, whatever the number of words.
 */
#include "fabrics/klog-match.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define STATES_MAX 256

struct builder {
	int16_t child[STATES_MAX][256]; /* -1 = none; later: complete */
	bool end[STATES_MAX];
	uint16_t fail[STATES_MAX], queue[STATES_MAX];
	unsigned n;
};

static int add_word(struct builder *b, const char *word)
{
	unsigned state = 0;

	for (const unsigned char *p = (const unsigned char *)word; *p; p++) {
		if (b->child[state][*p] < 0) {
			if (b->n == STATES_MAX)
				return -EINVAL;
			b->child[state][*p] = (int16_t)b->n++;
		}
		state = (unsigned)b->child[state][*p];
	}
	b->end[state] = true;
	return 0;
}

/* Breadth first: where a word breaks off, go on with the longest other beginning that fits. */
static void complete(struct builder *b)
{
	unsigned head = 0, tail = 0;

	b->queue[tail++] = 0;
	while (head < tail) {
		unsigned s = b->queue[head++];

		b->end[s] = b->end[s] || b->end[b->fail[s]];
		for (unsigned c = 0; c < 256; c++) {
			unsigned down = s ? (unsigned)b->child[b->fail[s]][c] : 0;

			if (b->child[s][c] < 0) {
				b->child[s][c] = (int16_t)down;
				continue;
			}
			b->fail[b->child[s][c]] = (uint16_t)down;
			b->queue[tail++] = (uint16_t)b->child[s][c];
		}
	}
}

/* Renumbers the states so that the ends come last, and state 0 stays. */
static void renumber(const struct builder *b, struct qm_match *m)
{
	uint8_t number[STATES_MAX];
	unsigned n = 0;

	for (int ends = 0; ends < 2; ends++) {
		if (ends)
			m->hit = n;
		for (unsigned s = 0; s < b->n; s++) {
			if (b->end[s] == (ends != 0))
				number[s] = (uint8_t)n++;
		}
	}
	for (unsigned s = 0; s < b->n; s++) {
		for (unsigned c = 0; c < 256; c++)
			m->next[number[s]][c] = number[b->child[s][c]];
	}
	m->n_states = n;
}

int qm_match_init(struct qm_match *m, const char *const *words)
{
	_cleanup_free_ struct builder *b = calloc(1, sizeof(*b));
	int r = 0;

	if (!b)
		return -ENOMEM;
	memset(b->child, 0xff, sizeof(b->child));
	b->n = 1;
	for (; r == 0 && *words; words++)
		r = add_word(b, *words);
	if (r < 0)
		return r;
	complete(b);
	renumber(b, m);
	return 0;
}

const char *qm_match_find(const struct qm_match *m, const char *text, size_t len)
{
	unsigned state = 0;

	for (size_t i = 0; i < len; i++) {
		state = m->next[state][(unsigned char)text[i]];
		if (state >= m->hit)
			return text + i + 1;
	}
	return NULL;
}
