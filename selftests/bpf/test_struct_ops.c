// SPDX-License-Identifier: GPL-2.0
/* Programs that are functions of a structure, called without a tracee. */
#define _GNU_SOURCE
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "runner.h"
#include "util.h"
#include "ops.skel.h"

static void run_dummy(const struct bpf_program *prog, __u64 *args,
		      unsigned int nr, int want)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .ctx_in = args,
		    .ctx_size_in = nr * sizeof(*args));

	expect("run", bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), 0);
	expect("return value", (int)opts.retval, want + sabotage);
}

/* The programs for struct_ops, or NULL if there is nothing to test */
static struct ops_bpf *load_struct_ops(void)
{
	struct ops_bpf *skel;

	/* It looks for the type in front of what it calls, an image here. */
	if (symbol_address("report_cfi_failure")) {
		skip("kCFI of 6.1 knows no functions made by the JIT");
		return NULL;
	}
	skel = ops_bpf__open_and_load();
	if (!skel)
		fail("load: %s", error_text(errno));
	return skel;
}

TEST(struct_ops)
{
	__u64 two[5] = { 0, -100, 0x8a5f, 'c', 0x1234567887654321 };
	struct ops_bpf *skel = load_struct_ops();
	__u64 one[1] = { 0 };
	int state = 0x77;

	if (!skel)
		return;
	run_dummy(skel->progs.one, one, 1, 0xf2f3f4f5);
	one[0] = (unsigned long)&state;
	run_dummy(skel->progs.one, one, 1, 0x77);
	expect("state", state, 0x5a);
	two[0] = (unsigned long)&state;
	run_dummy(skel->progs.two, two, 5, -7);
	expect("wrong arguments", skel->bss->wrong_args, 0);
	ops_bpf__destroy(skel);
}

static bool loopback_up(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), err;
	struct ifreq ifr = { .ifr_name = "lo" };

	err = ioctl(fd, SIOCGIFFLAGS, &ifr);
	ifr.ifr_flags |= IFF_UP;
	if (!err)
		err = ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
	return expect("set up the loopback device", err, 0);
}

static void send_and_receive(int to, int from)
{
	char buf[1024] = { 0 };
	int i, n, sum = 0;

	for (i = 0; i < 64; i++) {
		if (write(to, buf, sizeof(buf)) != sizeof(buf))
			break;
		for (n = 1; n > 0 && sum < (i + 1) * (int)sizeof(buf); sum += n)
			n = read(from, buf, sizeof(buf));
	}
	expect("bytes received", sum, 64 * sizeof(buf));
}

/* A congestion control written in BPF, at work. */
TEST(congestion)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	int listener, client = -1, server = -1;
	socklen_t len = sizeof(addr);
	struct ops_bpf *skel = load_struct_ops();
	struct bpf_link *link;

	if (!skel)
		return;
	link = bpf_map__attach_struct_ops(skel->maps.congest);
	if (!link || !loopback_up()) {
		fail("attach: %s", error_text(errno));
		goto out;
	}
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	client = socket(AF_INET, SOCK_STREAM, 0);
	if (expect("use it",
		   setsockopt(client, IPPROTO_TCP, TCP_CONGESTION,
			      "bpf_congest", strlen("bpf_congest")), 0) &&
	    expect("listen", listen(listener, 1), 0) &&
	    expect("address",
		   getsockname(listener, (struct sockaddr *)&addr, &len), 0)) {
		addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (expect("connect",
			   connect(client, (struct sockaddr *)&addr, len), 0)) {
			server = accept(listener, NULL, NULL);
			send_and_receive(client, server);
		}
		expect("initializations", skel->bss->inits, 1 + sabotage);
		expect("any acknowledgements", skel->bss->acks > 0, 1);
	}
	close(server);
	close(client);
	close(listener);
out:
	bpf_link__destroy(link);
	ops_bpf__destroy(skel);
}
