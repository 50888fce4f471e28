// SPDX-License-Identifier: GPL-2.0
/* What nanoseconds depend on: the machine, its processor and its frequency. */
#include <linux/cpufreq.h>
#include <linux/ctype.h>
#include <linux/dmi.h>
#include <linux/kernel.h>
#include <linux/of.h>
#include <linux/smp.h>
#include <linux/string.h>

#if defined(CONFIG_ARM64)
#include <asm/cputype.h>
#elif defined(CONFIG_PPC64)
#include <asm/reg.h>
#elif defined(CONFIG_X86)
#include <asm/processor.h>
#endif

#include "internal.h"

/* Strings of firmware go into JSON: nothing that would need escaping. */
static void bench_clean(char *buf)
{
	for (; *buf; buf++) {
		if (!isalnum(*buf) && !strchr(" ._,+-/:()@", *buf))
			*buf = ' ';
	}
}

/* What this processor says that it is */
static void bench_processor(char *buf, size_t size)
{
#if defined(CONFIG_ARM64)
	snprintf(buf, size, "MIDR %08x", read_cpuid_id());
#elif defined(CONFIG_PPC64)
	snprintf(buf, size, "PVR %08lx", mfspr(SPRN_PVR));
#elif defined(CONFIG_RISCV)
	struct device_node *node = of_get_cpu_node(raw_smp_processor_id(), NULL);
	const char *isa = "?";

	/* What it says by itself, firmware keeps from modules. */
	if (node)
		of_property_read_string(node, "riscv,isa", &isa);
	strscpy(buf, isa, size);
	of_node_put(node);
#elif defined(CONFIG_X86)
	snprintf(buf, size, "%s%s", boot_cpu_data.x86_model_id,
		 boot_cpu_has(X86_FEATURE_HYPERVISOR) ? " (virtual)" : "");
#else
	strscpy(buf, "?", size);
#endif
}

/**
 * bench_machine - name the processor that runs this and the machine
 * @buf: the text; of a virtual machine it names the hypervisor's model
 * @size: size of @buf
 */
void bench_machine(char *buf, size_t size)
{
	const char *vendor = dmi_get_system_info(DMI_SYS_VENDOR);
	const char *product = dmi_get_system_info(DMI_PRODUCT_NAME);
	struct device_node *root = of_find_node_by_path("/");
	const char *model = NULL;
	size_t len;

	bench_processor(buf, size);
	len = strlen(buf);
	if (root)
		of_property_read_string(root, "model", &model);
	if (root && !model)
		of_property_read_string(root, "compatible", &model);
	if (vendor || product)
		snprintf(buf + len, size - len, ", %s %s", vendor ?: "",
			 product ?: "");
	else if (model)
		snprintf(buf + len, size - len, ", %s", model);
	of_node_put(root);
	bench_clean(buf);
}

/**
 * bench_governor - name who decides on the frequency of a processor
 * @buf: the name; "none" if nobody does
 * @size: size of @buf
 * @cpu: the processor
 */
void bench_governor(char *buf, size_t size, int cpu)
{
#ifdef CONFIG_CPU_FREQ
	struct cpufreq_policy *policy = cpufreq_cpu_get(cpu);

	if (policy) {
		if (policy->governor)
			strscpy(buf, policy->governor->name, size);
		else
			snprintf(buf, size, "policy %u", policy->policy);
		cpufreq_cpu_put(policy);
		bench_clean(buf);
		return;
	}
#endif
	strscpy(buf, "none", size);
}
