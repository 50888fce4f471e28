// SPDX-License-Identifier: GPL-2.0
/*
 * kexec KERNEL INITRAMFS CMDLINE: start another kernel, without ending anything
 * that runs.
 */
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc != 4)
		errx(2, "usage: kexec KERNEL INITRAMFS CMDLINE");
	kernel = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	if (kernel < 0 || initrd < 0)
		err(1, "%s", kernel < 0 ? argv[1] : argv[2]);
	if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1,
		    argv[3], 0UL))
		err(1, "kexec_file_load");
	reboot(RB_KEXEC);
	err(1, "reboot");
}
