# SPDX-License-Identifier: GPL-2.0
# The commands of this project; each one is a script in scripts/.

# Debian's names for an architecture will do, too.
ONLY := $(patsubst riscv64,riscv,$(patsubst ppc64el,powerpc,$(ARCH)))
# One architecture for what makes one kernel, all for what compares and tests.
ARCHES := $(or $(ONLY),$(shell sed -n "s/^ARCHES='\(.*\)'/\1/p" scripts/lib/arch))
override ARCH := $(or $(ONLY),arm64)
# What make measure measures: the control, too.
MEASURED := $(sort $(ARCHES) x86_64)
# What is given here is for here: the kernel's Makefile has an O=, too.
MAKEOVERRIDES =

.PHONY: help bench measure figures check check-full apply kernel boot module series clean \
	clean-cache deps deb release rebase

help:
	@echo 'make bench             compare the ways to call a tracer, stock and patched'
	@echo 'make measure           the same, and put all results into Documentation/'
	@echo 'make figures           write tables and plots from the results there'
	@echo 'make check             run all tests (check-full: the slow ones, too)'
	@echo 'make apply KDIR=<dir>  put the patch series on a Linux 6.1 source tree'
	@echo '                       [PARTS="<part>..."], as PARTS=arm64'
	@echo 'make kernel            build the patched kernel'
	@echo '                       [O=<dir>] [CONFIG=<fragment>] [VARIANT=stock]'
	@echo 'make boot              boot it under QEMU to a shell [O=<dir>] [ROOT=<dir>]'
	@echo 'make module            build the benchmark module [KDIR=<built kernel>]'
	@echo 'make deb               build Debian packages with Debian'"'"'s configuration'
	@echo '                       [FLAVOUR=<name>] [CONFIG=<fragment>] [O=<dir>]'
	@echo '                       [LOCALMODCONFIG=<output of lsmod>] [BASE=<version>]'
	@echo '                       [PARTS="<part>..."]'
	@echo 'make release           write a release into a folder [O=<dir>] [COMMIT=<commit>]'
	@echo 'make rebase VERSION=<version>'
	@echo '                       try the series on another 6.1.y, and compare'
	@echo 'make series            check the patch series alone'
	@echo 'make clean             remove what was built in this folder'
	@echo 'make clean-cache       remove kernels, sources and objects from the cache'
	@echo
	@echo 'All take ARCH=<arch>. Without it bench, measure, check, check-full and rebase'
	@echo 'take all ($(ARCHES)), the others arm64.'
	@echo 'bench takes KERNELS="stock patched name=<built kernel>".'
	@echo 'The commands are in scripts/, all have --help.'

deps:
	@scripts/deps $(ARCH)

# What cannot be had for one architecture does not keep the others from their results.
bench:
	@rc=0; for arch in $(ARCHES); do \
		scripts/deps $$arch && scripts/bench --arch $$arch $(KERNELS) || \
			rc=1; done; exit $$rc

# One command from kernels to documents: all results, then tables and plots. With $(MAKE)
# in it, make -n would measure.
measure:
	@rc=0; for arch in $(MEASURED); do \
		scripts/deps $$arch && scripts/bench --arch $$arch --full \
			--json Documentation/bench-$$arch.json || rc=1; done; \
		$(MAKE_COMMAND) --no-print-directory figures || rc=1; exit $$rc

figures:
	@scripts/figures
	@scripts/bench-plot -o Documentation Documentation/bench-arm64.json \
		Documentation/bench-riscv.json Documentation/bench-powerpc.json \
		Documentation/bench-x86_64.json

check:
	@rc=0; arches=; for arch in $(ARCHES); do \
		scripts/deps --check $$arch && arches="$$arches --arch $$arch" || \
			rc=1; done; \
		[ -n "$$arches" ] && scripts/check $$arches || rc=1; exit $$rc

check-full:
	@rc=0; arches=; scripts/deps --full x86_64 || rc=1; for arch in $(ARCHES); do \
		scripts/deps --full $$arch && arches="$$arches --arch $$arch" || \
			rc=1; done; \
		[ -n "$$arches" ] && scripts/check $$arches --full || rc=1; exit $$rc

apply:
	@scripts/apply $(if $(PARTS),--parts "$(PARTS)") "$(KDIR)"

kernel: deps
	@scripts/build --arch $(ARCH) $(if $(VARIANT),--variant $(VARIANT)) \
		$(if $(O),-O "$(O)") $(if $(CONFIG),--config "$(CONFIG)")

boot: deps
	@scripts/shell --arch $(ARCH) $(if $(O),--kernel "$(O)") \
		$(if $(ROOT),--root "$(ROOT)")

module: deps
	@scripts/module --arch $(ARCH) $(if $(KDIR),--kernel "$(KDIR)")

deb:
	@scripts/deps --deb $(ARCH)
	@scripts/deb --arch $(ARCH) $(if $(FLAVOUR),--flavour "$(FLAVOUR)") \
		$(if $(CONFIG),--config "$(CONFIG)") $(if $(O),-o "$(O)") \
		$(if $(LOCALMODCONFIG),--localmodconfig "$(LOCALMODCONFIG)") \
		$(if $(BASE),--base "$(BASE)") $(if $(PARTS),--parts "$(PARTS)")

release: deps
	@scripts/release $(if $(O),-o "$(O)") $(COMMIT)

rebase:
	@$(if $(VERSION),,echo 'VERSION= is missing, see scripts/fetch --list'; exit 2)
	@scripts/deps --check $(ARCHES)
	@scripts/rebase $(if $(ONLY),--arch $(ONLY)) "$(VERSION)"

series:
	@scripts/deps --check $(ARCH)
	@scripts/series check

clean:
	@$(MAKE) -s -C kernel clean
	@$(MAKE) -s -C selftests clean

clean-cache:
	@scripts/clean-cache
