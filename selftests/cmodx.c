// SPDX-License-Identifier: GPL-2.0
/*
 * What a processor does that executes instructions while another one changes them, in
 * the patterns in which the series changes call sites: an 8-byte literal and a
 * branch, a literal alone, and a branch that gets another target.
 *
 * An ordinary program, for arm64, riscv64 and ppc64le, and any kernel that lets a
 * process execute memory that it has written. It proves nothing where it finds
 * nothing, but one outcome that must not be refutes what the series relies on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/*
 * The code, in words: what does not change, behind a literal, where it changes
 * (between "off" and "on"), and another piece with a branch that always leads
 * somewhere. The functions return 0, what is in the literal, 1, or 2.
 */
enum { SITE_ENTRY = 2, RETARGET_ENTRY = 8, WORDS = 20 };

#if defined(__aarch64__)
#define ARCH	"arm64"
enum { SITE = 2, RETARGET = 8 };
static const uint32_t code[WORDS] = {
	0, 0,				/* literal */
	0xd503201f,			/* nop, or b 1f */
	0xd2800000, 0xd65f03c0,		/* mov x0, #0; ret */
	0x58ffff60, 0xd65f03c0,		/* 1: ldr x0, literal; ret */
	0xd503201f,
	0x14000002,			/* b 2f, or b 3f */
	0xd503201f,
	0xd2800020, 0xd65f03c0,		/* 2: mov x0, #1; ret */
	0xd2800040, 0xd65f03c0,		/* 3: mov x0, #2; ret */
};
static const uint32_t site_off = 0xd503201f, site_on = 0x14000003;
static const uint32_t retarget_1 = 0x14000002, retarget_2 = 0x14000004;

/* What aarch64_insn_patch_text_nosync() does */
static void sync_writer(void *p)
{
	asm volatile("dc cvau, %0; dsb ish; ic ivau, %0; dsb ish; isb"
		     :: "r" (p) : "memory");
}

static void sync_reader(void)
{
	asm volatile("isb" ::: "memory");
}
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH	"riscv"
enum { SITE = 3, RETARGET = 9 };
static const uint32_t code[WORDS] = {
	0, 0,				/* literal */
	0x00000297, 0x00000013,		/* auipc t0, 0; nop, or jr 16(t0) */
	0x00000513, 0x00008067,		/* li a0, 0; ret */
	0xff82b503, 0x00008067,		/* ld a0, -8(t0); ret */
	0x00000297, 0x01028067,		/* auipc t0, 0; jr 16(t0), or 24(t0) */
	0x00008067, 0x00008067,
	0x00100513, 0x00008067,		/* li a0, 1; ret */
	0x00200513, 0x00008067,		/* li a0, 2; ret */
};
static const uint32_t site_off = 0x00000013, site_on = 0x01028067;
static const uint32_t retarget_1 = 0x01028067, retarget_2 = 0x01828067;

/* All harts of the process execute a fence.i, as in flush_icache_all() */
static void sync_writer(void *p)
{
	syscall(259, p, (char *)p + 4, 0);	/* riscv_flush_icache */
}

static void sync_reader(void)
{
}
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCH	"powerpc"
enum { SITE = 2, RETARGET = 8 };
static const uint32_t code[WORDS] = {
	0, 0,				/* literal */
	0x60000000,			/* nop, or b 1f */
	0x38600000, 0x4e800020,		/* li r3, 0; blr */
	0xe86cfff8, 0x4e800020,		/* 1: ld r3, -8(r12); blr */
	0x60000000,
	0x48000008,			/* b 2f, or b 3f */
	0x60000000,
	0x38600001, 0x4e800020,		/* 2: li r3, 1; blr */
	0x38600002, 0x4e800020,		/* 3: li r3, 2; blr */
};
static const uint32_t site_off = 0x60000000, site_on = 0x4800000c;
static const uint32_t retarget_1 = 0x48000008, retarget_2 = 0x48000010;

/* What __patch_instruction() does */
static void sync_writer(void *p)
{
	asm volatile("dcbst 0, %0; sync; icbi 0, %0; sync; isync"
		     :: "r" (p) : "memory");
}

static void sync_reader(void)
{
	asm volatile("isync" ::: "memory");
}
#else
#error "arm64, riscv64 and ppc64le only"
#endif

/* What the literal is: the nop ops, and two that trace. A torn one is none of them. */
#define NOP_OPS		0x7777777777777777ull
#define OPS_1		0x1111111111111111ull
#define OPS_2		0x2222222222222222ull

enum pattern { ATTACH, REPLACE, BRANCH, PATTERNS };

static const char * const pattern_names[] = {
	[ATTACH]  = "literal and branch",
	[REPLACE] = "literal",
	[BRANCH]  = "target of a branch",
};

enum outcome { BEFORE_OR_AFTER, CURRENT, OLD_LITERAL, STALE, WRONG, OUTCOMES };

static const char * const outcome_names[] = {
	[BEFORE_OR_AFTER] = "while_changing",
	[CURRENT]	  = "current",
	/* A branch with the literal of a site that is off, while both change */
	[OLD_LITERAL]	  = "new_branch_old_literal",
	/* What was before a change that had been completed */
	[STALE]		  = "stale",
	/* Never written: torn, or an instruction of another kind */
	[WRONG]		  = "wrong",
};

struct result {
	enum pattern pattern;
	bool barriers;
	uint64_t changes;
	uint64_t count[OUTCOMES];
	uint64_t wrong_value;
};

struct thread {
	pthread_t id;
	uint64_t count[OUTCOMES];
	uint64_t wrong_value;
} __attribute__((aligned(256)));

static uint32_t *text;
static bool broken;
static unsigned int pattern_ms = 300;

static enum pattern pattern;
static bool barriers;
static bool stop;
/* Odd while something changes; what is there in even ones depends on it alone */
static uint64_t epoch __attribute__((aligned(256)));

static uint64_t expected(uint64_t e)
{
	bool second = e & 2;

	switch (pattern) {
	case ATTACH:
		return second ? (e & 4 ? OPS_2 : OPS_1) : 0;
	case REPLACE:
		return second ? OPS_2 : OPS_1;
	default:
		return second ? 2 : 1;
	}
}

static bool possible(uint64_t value)
{
	switch (pattern) {
	case ATTACH:
		return value == 0 || value == NOP_OPS || value == OPS_1 ||
		       value == OPS_2;
	case REPLACE:
		return value == OPS_1 || value == OPS_2;
	default:
		return value == 1 || value == 2;
	}
}

static void *reader(void *arg)
{
	uint32_t *entry = text + (pattern == BRANCH ? RETARGET_ENTRY : SITE_ENTRY);
	/* On powerpc this address is in r12, too, when it is called */
	uint64_t (*function)(void) = (uint64_t (*)(void))(uintptr_t)entry;
	struct thread *self = arg;
	uint64_t before, after, value;
	enum outcome outcome;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		before = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
		if (barriers)
			sync_reader();
		value = function();
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		after = __atomic_load_n(&epoch, __ATOMIC_RELAXED);

		if (!possible(value)) {
			outcome = WRONG;
			self->wrong_value = value;
		} else if (pattern == ATTACH && value == NOP_OPS) {
			outcome = before == after && !(before & 1) ? STALE : OLD_LITERAL;
		} else if (before != after || before & 1) {
			outcome = BEFORE_OR_AFTER;
		} else {
			outcome = value == expected(before) ? CURRENT : STALE;
		}
		self->count[outcome]++;
	}

	return NULL;
}

static void write_literal(uint64_t value)
{
	uint32_t *half = text;

	if (broken) {
		/* What must not be: two stores */
		__atomic_store_n(&half[0], (uint32_t)value, __ATOMIC_RELAXED);
		sched_yield();
		__atomic_store_n(&half[1], (uint32_t)(value >> 32), __ATOMIC_RELAXED);
	} else {
		__atomic_store_n((uint64_t *)text, value, __ATOMIC_RELAXED);
	}
	if (barriers)
		__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void write_insn(unsigned int word, uint32_t insn)
{
	__atomic_store_n(&text[word], insn, __ATOMIC_RELAXED);
	if (barriers)
		sync_writer(&text[word]);
}

/* Make it as it has to be in epoch @e */
static void change(uint64_t e)
{
	switch (pattern) {
	case ATTACH:
		write_literal(expected(e) ?: NOP_OPS);
		write_insn(SITE, expected(e) ? site_on : site_off);
		break;
	case REPLACE:
		write_literal(expected(e));
		break;
	default:
		write_insn(RETARGET, expected(e) == 2 ? retarget_2 : retarget_1);
		break;
	}
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

static void run(struct result *result, unsigned int nr_threads)
{
	struct thread *threads;
	uint64_t end, e = 0;
	unsigned int i, j;
	volatile int spin;

	pattern = result->pattern;
	barriers = true;
	epoch = 0;
	stop = false;
	/* The code is complete before somebody executes it */
	memcpy(text, code, sizeof(code));
	*(uint64_t *)text = NOP_OPS;
	if (pattern == REPLACE)
		write_insn(SITE, site_on);
	change(0);
	__builtin___clear_cache((char *)text, (char *)(text + WORDS));
	sync_writer(text);
	barriers = result->barriers;

	threads = aligned_alloc(256, nr_threads * sizeof(*threads));
	memset(threads, 0, nr_threads * sizeof(*threads));
	for (i = 0; i < nr_threads; i++) {
		if (pthread_create(&threads[i].id, NULL, reader, &threads[i])) {
			perror("pthread_create");
			exit(2);
		}
	}

	end = now_ms() + pattern_ms;
	do {
		for (i = 0; i < 64; i++) {
			__atomic_store_n(&epoch, e + 1, __ATOMIC_RELAXED);
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
			e += 2;
			change(e);
			/* Who knows this has to see the change, with barriers */
			__atomic_store_n(&epoch, e, __ATOMIC_RELEASE);
			result->changes++;
			for (spin = 0; spin < (int)(e & 0x1ff); spin++)
				;
			if (!(e & 31))
				sched_yield();
		}
	} while (now_ms() < end);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);

	for (i = 0; i < nr_threads; i++) {
		pthread_join(threads[i].id, NULL);
		for (j = 0; j < OUTCOMES; j++)
			result->count[j] += threads[i].count[j];
		if (threads[i].count[WRONG])
			result->wrong_value = threads[i].wrong_value;
	}
	free(threads);
}

/* Was there an outcome which must not be? */
static bool forbidden(const struct result *result)
{
	if (result->count[WRONG])
		return true;
	/* A literal is data: without any barrier it is seen at some time. */
	return result->barriers && result->count[STALE];
}

static void cpu_model(char *model, size_t size)
{
	static const char * const keys[] = {
		"model name", "CPU implementer", "CPU part", "CPU variant",
		"CPU revision", "cpu", "revision", "machine", "uarch", "isa",
		"mvendorid", "marchid", "mimpid",
	};
	char line[512], *value;
	size_t used = 0;
	unsigned int i;
	FILE *f;

	model[0] = '\0';
	f = fopen("/proc/cpuinfo", "r");
	while (f && fgets(line, sizeof(line), f) && used + 1 < size) {
		value = strchr(line, ':');
		if (!value || value[1] == '\n')
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		value[strcspn(value, "\n\"\\")] = '\0';
		line[strcspn(line, "\t")] = '\0';
		if (!strcmp(line, "processor") && used)
			break;
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			if (!strcmp(line, keys[i]))
				used += snprintf(model + used, size - used, "%s%s: %s",
						 used ? ", " : "", line, value);
			if (used >= size)
				used = size - 1;
		}
	}
	if (f)
		fclose(f);
}

static long cache_line(void)
{
#ifdef __aarch64__
	uint64_t ctr;

	asm("mrs %0, ctr_el0" : "=r" (ctr));
	return 4l << ((ctr >> 16) & 15);
#else
	return sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
#endif
}

static int write_json(const char *name, const struct result *results, int nr,
		      unsigned int nr_threads)
{
	struct utsname uts;
	char model[512];
	FILE *f;
	int i, j;

	f = fopen(name, "w");
	if (!f) {
		perror(name);
		return -1;
	}
	uname(&uts);
	cpu_model(model, sizeof(model));
	fprintf(f, "{\n\t\"version\": 1,\n\t\"arch\": \"%s\",\n", ARCH);
	fprintf(f, "\t\"cpu\": \"%s\",\n\t\"cores\": %ld,\n", model,
		sysconf(_SC_NPROCESSORS_ONLN));
	fprintf(f, "\t\"cache_line\": %ld,\n\t\"kernel\": \"%s\",\n", cache_line(),
		uts.release);
	fprintf(f, "\t\"threads\": %u,\n\t\"ms\": %u,\n\t\"results\": [\n", nr_threads,
		pattern_ms);
	for (i = 0; i < nr; i++) {
		fprintf(f, "\t\t{\n\t\t\t\"pattern\": \"%s\",\n",
			pattern_names[results[i].pattern]);
		fprintf(f, "\t\t\t\"barriers\": %s,\n",
			results[i].barriers ? "true" : "false");
		fprintf(f, "\t\t\t\"changes\": %" PRIu64 ",\n", results[i].changes);
		for (j = 0; j < OUTCOMES; j++)
			fprintf(f, "\t\t\t\"%s\": %" PRIu64 ",\n", outcome_names[j],
				results[i].count[j]);
		fprintf(f, "\t\t\t\"forbidden\": %s\n\t\t}%s\n",
			forbidden(&results[i]) ? "true" : "false",
			i + 1 < nr ? "," : "");
	}
	fprintf(f, "\t]\n}\n");
	if (fclose(f)) {
		perror(name);
		return -1;
	}
	return 0;
}

static void help(void)
{
	puts("Usage: cmodx [--ms MS] [--threads N] [--json FILE] [--broken]\n"
	     "\n"
	     "Change instructions while other threads execute them, and count what these\n"
	     "see. Prints KTAP; exit code 1 if there was an outcome which must not be,\n"
	     "4 if memory cannot be executed.\n"
	     "\n"
	     "--ms MS      time for each of the six tests (300)\n"
	     "--threads N  threads that execute (one for each processor, at least 2)\n"
	     "--json FILE  the counts, and on what processor\n"
	     "--broken     write literals in two halves: tests of literals have to fail");
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || end == text || !value || value > max) {
		fprintf(stderr, "cmodx: '%s' is not a number between 1 and %u\n", text,
			max);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "ms", required_argument, NULL, 'm' },
		{ "threads", required_argument, NULL, 't' },
		{ "json", required_argument, NULL, 'j' },
		{ "broken", no_argument, NULL, 'b' },
		{ }
	};
	struct result results[2 * PATTERNS] = { };
	unsigned int nr_threads = 0;
	const char *json = NULL;
	bool failed = false;
	long page = sysconf(_SC_PAGESIZE);
	char model[512];
	int c, i, j;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'h':
			help();
			return 0;
		case 'm':
			pattern_ms = number(optarg, 600000);
			break;
		case 't':
			nr_threads = number(optarg, 1024);
			break;
		case 'j':
			json = optarg;
			break;
		case 'b':
			broken = true;
			break;
		default:
			return 2;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "cmodx: unknown argument '%s'\n", argv[optind]);
		return 2;
	}
	if (!nr_threads)
		nr_threads = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_threads < 2)
		nr_threads = 2;

	setvbuf(stdout, NULL, _IOLBF, 0);
	text = mmap(NULL, page, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	puts("KTAP version 1");
	if (text == MAP_FAILED) {
		printf("1..0 # SKIP memory cannot be executed: %s\n", strerror(errno));
		return 4;
	}

	cpu_model(model, sizeof(model));
	printf("# %s, %ld cores, cache line %ld, %u threads\n", *model ? model : ARCH,
	       sysconf(_SC_NPROCESSORS_ONLN), cache_line(), nr_threads);
	printf("1..%d\n", 2 * PATTERNS);
	for (i = 0; i < 2 * PATTERNS; i++) {
		results[i].pattern = i / 2;
		results[i].barriers = i % 2 == 0;
		run(&results[i], nr_threads);

		printf("# %" PRIu64 " changes:", results[i].changes);
		for (j = 0; j < OUTCOMES; j++)
			printf(" %s %" PRIu64 "%s", outcome_names[j],
			       results[i].count[j], j + 1 < OUTCOMES ? "," : "\n");
		if (results[i].count[WRONG])
			printf("# one of the wrong values: %016" PRIx64 "\n",
			       results[i].wrong_value);
		failed |= forbidden(&results[i]);
		printf("%s %d %s, %s barriers\n", forbidden(&results[i]) ? "not ok" : "ok",
		       i + 1, pattern_names[results[i].pattern],
		       results[i].barriers ? "with" : "without");
	}
	if (json && write_json(json, results, 2 * PATTERNS, nr_threads))
		return 2;
	return failed;
}
