// SPDX-License-Identifier: GPL-2.0
/*
 * kvm COUNT: a virtual machine of powerpc with a program of four instructions,
 * which makes a hypercall in a loop; ends after COUNT of them.
 *
 * Each hypercall that the kernel leaves to us is an exit and another entry.
 */
/* 64-bit types that printf() knows */
#define __SANE_USERSPACE_TYPES__
#include <err.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define H_PUT_TERM_CHAR	0x58
#define PATB_GR		(1ULL << 63)	/* the guest's MMU is radix, too */
#define MSR_SF		(1ULL << 63)
#define MSR_ME		(1ULL << 12)
#define MSR_LE		1ULL
#define MEMORY		(2UL << 20)
#define ENTRY		0x1000

static const uint32_t program[] = {
	0x38600000 | H_PUT_TERM_CHAR,	/* 1: li r3, H_PUT_TERM_CHAR	*/
	0x38840001,			/*    addi r4, r4, 1		*/
	0x44000022,			/*    sc 1			*/
	0x4bfffff4,			/*    b 1b			*/
};

static int kvm_ioctl(int fd, unsigned long request, const char *name, void *arg)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0)
		err(1, "%s", name);
	return ret;
}

#define KVM(fd, request, arg) kvm_ioctl(fd, request, #request, (void *)(arg))

static void *map(size_t size, int flags, int fd)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

/* What a callee must preserve holds something else in each register. */
static uint64_t preserved(int i)
{
	return 0x0101010101010101ULL * i;
}

int main(int argc, char **argv)
{
	struct kvm_userspace_memory_region region = { .memory_size = MEMORY };
	struct kvm_ppc_mmuv3_cfg mmu = {
		.flags = KVM_PPC_MMUV3_RADIX | KVM_PPC_MMUV3_GTSE,
		.process_table = PATB_GR,
	};
	struct kvm_enable_cap papr = { .cap = KVM_CAP_PPC_PAPR };
	unsigned long i, count;
	struct kvm_regs regs;
	struct kvm_run *run;
	int kvm, vm, vcpu;
	char *memory;

	if (argc != 2)
		errx(2, "usage: kvm COUNT");
	count = strtoul(argv[1], NULL, 10);
	kvm = open("/dev/kvm", O_RDWR);
	if (kvm < 0)
		err(1, "/dev/kvm");
	vm = KVM(kvm, KVM_CREATE_VM, KVM_VM_PPC_HV);
	KVM(vm, KVM_PPC_CONFIGURE_V3_MMU, &mmu);
	memory = map(MEMORY, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memcpy(memory + ENTRY, program, sizeof(program));
	region.userspace_addr = (uintptr_t)memory;
	KVM(vm, KVM_SET_USER_MEMORY_REGION, &region);
	vcpu = KVM(vm, KVM_CREATE_VCPU, 0);
	KVM(vcpu, KVM_ENABLE_CAP, &papr);
	run = map(KVM(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), MAP_SHARED, vcpu);

	KVM(vcpu, KVM_GET_REGS, &regs);
	regs.pc = ENTRY;
	regs.msr = MSR_SF | MSR_ME | MSR_LE;
	regs.gpr[4] = 0;
	for (i = 14; i < 32; i++)
		regs.gpr[i] = preserved(i);
	KVM(vcpu, KVM_SET_REGS, &regs);

	for (i = 1; i <= count; i++) {
		KVM(vcpu, KVM_RUN, 0);
		if (run->exit_reason != KVM_EXIT_PAPR_HCALL)
			errx(1, "call %lu: exit reason %u", i, run->exit_reason);
		if (run->papr_hcall.nr != H_PUT_TERM_CHAR ||
		    run->papr_hcall.args[0] != i)
			errx(1, "call %lu: hypercall %llx, argument %llu", i,
			     run->papr_hcall.nr, run->papr_hcall.args[0]);
		run->papr_hcall.ret = 0;
	}
	KVM(vcpu, KVM_GET_REGS, &regs);
	for (i = 14; i < 32; i++)
		if (regs.gpr[i] != preserved(i))
			errx(1, "r%lu is %llx", i, regs.gpr[i]);
	printf("# %lu entries of the virtual machine\n", count);
	return 0;
}
