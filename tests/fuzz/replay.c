// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay TARGET FILE...: gives each file to a target, without a fuzzer; for the corpus in the test suite and for what a fuzzer
 * found. Built with FUZZ_TARGET it is that one target's libFuzzer program.
 */
#include "targets.h"

#include <string.h>

#ifdef FUZZ_TARGET
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of exactly this size, so that a reader beyond its end is seen. */
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	FUZZ_TARGET(text, size);
	free(text);
	return 0;
}
#else
static const struct fuzz_target targets[] = {
	{ "cpus", fuzz_cpus },		 { "klog", fuzz_klog },	      { "topology", fuzz_topology },
	{ "plan", fuzz_plan },		 { "synthetic", fuzz_synthetic }, { "release", fuzz_release },
	{ "interrupts", fuzz_interrupts }, { "tree", fuzz_tree },
};

static int replay(const struct fuzz_target *target, const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t max = 1 << 20, len;
	char *text = f ? malloc(max + 1) : NULL;

	if (text) {
		len = fread(text, 1, max, f);
		text[len] = '\0';
		target->run(text, len);
	} else {
		perror(path);
	}
	if (f)
		fclose(f);
	free(text);
	return text ? 0 : -1;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (strcmp(targets[i].name, argv[1]) != 0)
			continue;
		for (int file = 2; file < argc; file++) {
			if (replay(&targets[i], argv[file]) < 0)
				return 2;
		}
		printf("%s: %d inputs\n", argv[1], argc - 2);
		return 0;
	}
	fprintf(stderr, "usage: replay TARGET FILE...\n");
	return 2;
}
#endif
