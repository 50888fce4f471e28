/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the module ftrace_bench share, and nobody else sees */
#ifndef FTRACE_BENCH_INTERNAL_H
#define FTRACE_BENCH_INTERNAL_H

#ifdef BENCH_HAVE_FPROBE
#include <linux/fprobe.h>
#endif
#include <linux/atomic.h>
#include <linux/dcache.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/seq_file.h>

#include "bench.h"

#define CLOCK_NAME	"ktime_get_raw_fast_ns"

enum bench_direct {
	DIRECT_NONE,
	DIRECT_NEAR,
	DIRECT_FAR,
};

enum bench_tramp {
	TRAMP_NONE,
	TRAMP_NEAR,
	TRAMP_FAR,
};

/* Which handlers of an fprobe there are */
#define FPROBE_ENTRY	1
#define FPROBE_EXIT	2

/* In what context the tracee is called; see bench_context_names */
enum bench_context {
	CONTEXT_TASK,
	CONTEXT_IRQS_OFF,
	CONTEXT_MIGRATION_OFF,
	CONTEXT_IN_BPF,
	BENCH_NR_CONTEXTS,
};

extern const char * const bench_context_names[BENCH_NR_CONTEXTS];

/**
 * struct bench_case - what to attach for one row
 * @name: as written to the file "run"
 * @desc: one line for the file "cases"
 * @ops: number of ordinary ops on the tracee
 * @irrelevant: number of ops on a function that is never called
 * @regs: the ordinary ops ask for all registers
 * @direct: the direct call on the tracee
 * @tramp: the kernel has to allocate a trampoline for the ops
 * @fprobe: the fprobe on the tracee, of FPROBE_*
 * @trap: a kprobe on a function without a call site, which is called instead
 */
struct bench_case {
	const char *name;
	const char *desc;
	unsigned int ops;
	unsigned int irrelevant;
	bool regs;
	enum bench_direct direct;
	enum bench_tramp tramp;
	unsigned int fprobe;
	bool trap;
};

extern const struct bench_case bench_cases[];
extern const unsigned int bench_nr_cases;

enum bench_status {
	BENCH_OK,
	BENCH_UNSUPPORTED,
	BENCH_NOISY,
	BENCH_FAILED,
};

extern const char * const bench_status_names[];

/* What a processor can count besides the time, if it has counters */
struct bench_pmu_event {
	const char *name;
	u64 config;
};

#define BENCH_NR_PMU	3
extern const struct bench_pmu_event bench_pmu_events[BENCH_NR_PMU];

/**
 * struct bench_row - the result of one case
 * @list: in bench_rows, the cases in their order and external rows after them
 * @name: name of the case, or as user space gave it
 * @context: the context that the tracee was called in
 * @bc: the case; NULL for a row of the file "external"
 * @status: whether the numbers count
 * @measured: there are numbers
 * @batches: number of samples that the numbers are from
 * @batch_calls: calls in each of them
 * @min: least of the samples, in thousandths of a nanosecond per call
 * @median: median of the samples, likewise
 * @max: greatest of the samples, likewise
 * @mad: median of the samples' distances from @median, likewise
 * @untraced: median of the samples of the untraced twin, likewise
 * @overhead: median of what a sample is above those of the twin right before
 *            and after it, likewise
 * @resolution: what one tick of the clock makes of a sample, likewise
 * @pmu: medians of what the events of bench_pmu_events are above the twin's
 * @has_pmu: which of @pmu were counted
 * @calls: calls of the tracee, without the warm-up
 * @hits: least count of any callback that had to run
 * @expected_hits: what every such callback must have counted
 * @has_hits: there are counts of hits
 * @path: how the call site reached the callbacks
 * @reason: why @status is not BENCH_OK
 */
struct bench_row {
	struct list_head list;
	char name[32];
	enum bench_context context;
	const struct bench_case *bc;
	enum bench_status status;
	bool measured;
	unsigned int batches;
	unsigned int batch_calls;
	u64 min;
	u64 median;
	u64 max;
	u64 mad;
	u64 untraced;
	s64 overhead;
	u64 resolution;
	s64 pmu[BENCH_NR_PMU];
	bool has_pmu[BENCH_NR_PMU];
	u64 calls;
	u64 hits;
	u64 expected_hits;
	bool has_hits;
	char path[64];
	char reason[160];
};

/**
 * struct bench_ops - an ops that counts
 * @ops: what ftrace knows
 * @hits: how often it was called
 * @relevant: it is on the tracee
 */
struct bench_ops {
	struct ftrace_ops ops;
	u64 hits;
	bool relevant;
};

/**
 * struct bench_fprobe - an fprobe that counts
 * @fp: what the kernel knows
 * @entries: how often its entry handler was called
 * @exits: how often its exit handler was called
 */
struct bench_fprobe {
#ifdef BENCH_HAVE_FPROBE
	struct fprobe fp;
#endif
	u64 entries;
	u64 exits;
};

/**
 * struct bench_trap - a kprobe that counts
 * @kp: what the kernel knows
 * @hits: how often its handler was called
 */
struct bench_trap {
	struct kprobe kp;
	u64 hits;
};

/**
 * struct bench_attached - all that one case has attached
 * @ops: ordinary ops, the ones on the tracee first
 * @nr_ops: number of @ops
 * @nr_registered: the first so many of them are registered
 * @direct: the ops of the direct call
 * @tramp: the trampoline of the direct call, NULL if there is none
 * @direct_registered: @direct is registered
 * @fprobe: the fprobe
 * @fprobe_registered: @fprobe is registered
 * @trap: the kprobe
 * @trap_registered: @trap is registered
 */
struct bench_attached {
	struct bench_ops *ops;
	unsigned int nr_ops;
	unsigned int nr_registered;
	struct ftrace_ops direct;
	const struct ftrace_bench_tramp *tramp;
	bool direct_registered;
	struct bench_fprobe fprobe;
	bool fprobe_registered;
	struct bench_trap trap;
	bool trap_registered;
};

/* bench.c: parameters, rows and runs */
extern char *bench_selection;
extern int bench_cpu;
extern unsigned int bench_warmup_ms, bench_duration_ms, bench_batch_us;
extern struct mutex bench_run_lock, bench_row_lock;
extern struct list_head bench_rows;

void bench_set_failed(struct bench_row *row, const char *fmt, ...)
	__printf(2, 3);
void bench_set_noisy(struct bench_row *row, const char *fmt, ...)
	__printf(2, 3);
void bench_set_unsupported(struct bench_row *row, const char *fmt, ...)
	__printf(2, 3);
struct bench_row *bench_new_row(const char *name, const struct bench_case *bc,
				enum bench_context context);
struct bench_row *bench_find_row(const char *name, enum bench_context context);
void bench_add_row(struct bench_row *row);
void bench_log_row(const struct bench_row *row, unsigned int number,
		   unsigned int total);
int bench_split_name(char *name, enum bench_context *context);
int bench_run(const unsigned long *masks);

/* cases.c: what to attach, and what has to come of it */
extern const struct ftrace_bench_tramp bench_near;
const struct ftrace_bench_tramp *bench_get_far(void);
void bench_put_far(void);
void bench_callback(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *op, struct ftrace_regs *fregs);
const struct ftrace_ops *bench_fprobe_ops(const struct bench_attached *at);
const struct ftrace_ops *bench_first_ops(const struct bench_attached *at);
int bench_run_case(struct bench_row *row);
int bench_parse_cases(char *list, unsigned long *masks);

static inline u64 *bench_direct_hits(const struct bench_attached *at)
{
	return at->tramp ? at->tramp->hits : NULL;
}

/* measure.c */
extern atomic64_t bench_calls;
extern int bench_pmu_error;
extern char bench_machine_name[160], bench_governor_name[32];
extern int bench_last_cpu;
int bench_measure(struct bench_row *row, struct bench_attached *at);
int bench_alloc_samples(void);
void bench_free_samples(void);

/* paths.c: what the call site says */
enum bench_tramp bench_has_tramp(const struct bench_attached *at);
void bench_path(char *path, size_t size, const struct bench_attached *at);
void bench_check_path(struct bench_row *row, const struct bench_attached *at);
bool bench_check_untraced(struct bench_row *row, const char *when);
bool bench_check_twin(struct bench_row *row);
bool bench_distance(enum bench_direct direct, long *distance);

/* machine.c */
void bench_machine(char *buf, size_t size);
void bench_governor(char *buf, size_t size, int cpu);

/* report.c, files.c, toggle.c */
void bench_create_reports(struct dentry *dir);
extern const struct file_operations bench_toggle_fops;

/* count.c */
extern const struct file_operations bench_count_fops;
void bench_create_files(struct dentry *dir);

#endif
