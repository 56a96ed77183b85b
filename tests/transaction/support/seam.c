/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations at the interfaces of a machine: passed on, counted, or refused. */
#include "transaction/support/seam.h"
#include "driver/abi.h"
#include "support/check.h"

#include <ctype.h>

const struct seam_plan seam_counting;

/** One at a time: the tables of functions are passed the data of the machine behind. */
static struct {
	struct isst_machine machine, *inner;
	struct seam_plan plan;
	struct seam_counts *counts;
	size_t kind_space;
	char *stuck;	  /* what keeps failing */
	const char *busy; /* a file of the kernel that is, and how often it is yet */
	int busy_tries;
	char *again; /* what fails once more, when a batch that it ended is sent one by one */
	int pending; /* the error that the next call begins with */
	unsigned int repeats;
} seam;

/* ---- Counting ---- */

/** Names that differ in their numbers only are of one kind. */
static char *kind_of(const char *target)
{
	char *kind = strdup(target), *to = kind;

	assert_non_null(kind);
	for (const char *from = target; *from; from++)
		if (!isdigit((unsigned char)*from))
			*to++ = *from;
	*to = '\0';
	return kind;
}

static void note_change(const char *target, const char *kind)
{
	struct seam_counts *counts = seam.counts;

	if (counts->changes + 1 >= seam.kind_space) {
		seam.kind_space = seam.kind_space * 2 + 64;
		counts->kinds = reallocarray(counts->kinds, seam.kind_space, sizeof(char *));
		assert_non_null(counts->kinds);
	}
	counts->kinds[counts->changes++] = kind ? strdup(kind) : kind_of(target);
	counts->kinds[counts->changes] = NULL;
}

/** Whether what a rollback does finds the machine busy. */
static bool is_busy(bool changes)
{
	const struct seam_plan *plan = &seam.plan;
	unsigned int number = ++seam.counts->later;

	if (plan->busy == 0 || number < plan->busy)
		return false;
	if (plan->busy_times == SEAM_ALWAYS)
		return changes;
	return number - plan->busy < plan->busy_times;
}

static void forget_change(void)
{
	struct seam_counts *counts = seam.counts;

	free(counts->kinds[--counts->changes]);
	counts->kinds[counts->changes] = NULL;
}

/** Whether an operation fails: 0 or a negative errno. */
static int verdict(const char *target, const char *kind, bool changes)
{
	struct seam_counts *counts = seam.counts;
	unsigned int wanted = changes ? seam.plan.fail_change : seam.plan.fail_read;

	if (changes)
		note_change(target, kind);
	else if (++counts->reads == seam.plan.before_read && seam.plan.first)
		seam.plan.first();
	if (counts->failed && is_busy(changes))
		return -EBUSY;
	if (changes && counts->failed && seam.stuck && strcmp(seam.stuck, target) == 0)
		return seam.plan.error;
	if (changes && seam.busy && strcmp(seam.busy, target) == 0 && seam.busy_tries-- > 0)
		return -EBUSY;
	if (changes && counts->changes == seam.plan.stuck_change)
		seam.stuck = strdup(target);
	if (wanted == 0 || (changes ? counts->changes : counts->reads) != wanted)
		return 0;
	counts->failed = true;
	counts->target = strdup(target);
	/* What is busy is tried again: it stays so for as long as that. */
	if (changes && seam.plan.error == -EBUSY && *target == '/') {
		seam.busy = counts->target;
		seam.busy_tries = strstr(target, "/cpufreq/") ? 19 : 1;
	}
	return seam.plan.error;
}

static void made(unsigned int number)
{
	if (seam.plan.then && number == seam.plan.after_change)
		seam.plan.then();
}

/* ---- TPMI: requests of their own, and batches of associations ---- */

/** The name of a request, and the position of its target in the structure. */
static const struct tpmi_request {
	unsigned long request;
	const char *name;
	size_t domain; /* of socket_id, behind which is power_domain_id */
	size_t index;  /* of what it counts besides; 0: nothing */
	enum { READS, SETS, SETS_IF_SAID } sets;
} TPMI_REQUESTS[] = {
	{ ABI_COUNT_TPMI_INSTANCES, "count-instances",
	  offsetof(struct abi_tpmi_instance_count, socket_id), 0, READS },
	{ ABI_CORE_POWER_STATE, "core-power", offsetof(struct abi_core_power, socket_id), 0,
	  SETS_IF_SAID },
	{ ABI_CLOS_PARAM, "clos-param", offsetof(struct abi_clos_param, socket_id),
	  offsetof(struct abi_clos_param, clos), SETS_IF_SAID },
	{ ABI_PERF_LEVELS, "perf-levels", offsetof(struct abi_perf_level_info, socket_id), 0,
	  READS },
	{ ABI_PERF_SET_LEVEL, "perf-set-level", offsetof(struct abi_perf_level_control, socket_id),
	  0, SETS },
	{ ABI_PERF_SET_FEATURE, "perf-set-feature",
	  offsetof(struct abi_perf_feature_control, socket_id), 0, SETS },
	{ ABI_GET_PERF_LEVEL_INFO, "perf-level-info",
	  offsetof(struct abi_perf_level_data_info, socket_id), 0, READS },
	{ ABI_GET_PERF_LEVEL_CPU_MASK, "perf-level-mask",
	  offsetof(struct abi_perf_level_cpu_mask, socket_id), 0, READS },
	{ ABI_GET_BASE_FREQ_INFO, "base-freq-info", offsetof(struct abi_base_freq_info, socket_id),
	  0, READS },
	{ ABI_GET_BASE_FREQ_CPU_MASK, "base-freq-mask",
	  offsetof(struct abi_perf_level_cpu_mask, socket_id), 0, READS },
	{ ABI_GET_TURBO_FREQ_INFO, "turbo-freq-info",
	  offsetof(struct abi_turbo_freq_info, socket_id), 0, READS },
	{ ABI_GET_PERF_LEVEL_FABRIC_INFO, "perf-level-fabric",
	  offsetof(struct abi_perf_level_fabric_info, socket_id), 0, READS },
};

static const struct tpmi_request *find_tpmi_request(unsigned long request)
{
	for (size_t i = 0; i < COUNT(TPMI_REQUESTS); i++)
		if (TPMI_REQUESTS[i].request == request)
			return &TPMI_REQUESTS[i];
	return NULL;
}

/** As the driver does: whatever is refused is ENOTTY. */
static int send_tpmi(void *data, int descriptor, const struct tpmi_request *known, void *argument)
{
	const uint8_t *bytes = argument;
	bool sets = known->sets == SETS || (known->sets == SETS_IF_SAID && bytes[0]);
	char target[80], kind[40];
	int answer;

	snprintf(target, sizeof(target), "tpmi %s of %u.%u, %u", known->name, bytes[known->domain],
		 bytes[known->domain + 1], known->index ? bytes[known->index] : 0);
	snprintf(kind, sizeof(kind), "tpmi %s", known->name);
	if (verdict(target, kind, sets))
		return -ENOTTY;
	answer = seam.inner->device->ioctl(data, descriptor, known->request, argument);
	if (sets)
		made(seam.counts->changes);
	return answer;
}

/** Whether an association fails; one that ended a batch does so again when it is sent alone. */
static bool association_fails(const struct abi_clos_assoc *one, bool sets, bool alone)
{
	char target[80];
	bool fails;

	snprintf(target, sizeof(target), "tpmi clos-assoc of %u.%u, %u", one->socket_id,
		 one->power_domain_id, one->logical_cpu);
	fails = verdict(target, "tpmi clos-assoc", sets) != 0;
	if (seam.again && strcmp(seam.again, target) == 0) {
		fails = true;
		if (alone) {
			free(seam.again);
			seam.again = NULL;
		}
	} else if (fails && !alone) {
		free(seam.again);
		seam.again = strdup(target);
	}
	return fails;
}

/** As in the driver: entries before a failing one have been carried out, without a report about
 * that. */
static int send_associations(void *data, int descriptor, void *argument)
{
	struct abi_clos_assoc_cmds *message = argument;
	unsigned int first = seam.counts->changes;
	uint16_t count = message->cmd_count, good = 0;
	int answer = 0;

	while (good < count &&
	       !association_fails(&message->assoc_info[good], message->get_set, count == 1))
		good++;
	message->cmd_count = good;
	if (good > 0)
		answer = seam.inner->device->ioctl(data, descriptor, ABI_CLOS_ASSOC, message);
	message->cmd_count = count;
	for (unsigned int i = first; i < seam.counts->changes && i < first + good; i++)
		made(i + 1);
	return good < count ? -ENOTTY : answer;
}

/* ---- The device ---- */

static int device_open(void *data)
{
	return seam.inner->device->open(data);
}

static int device_close(void *data, int descriptor)
{
	return seam.inner->device->close(data, descriptor);
}

/** What an entry is for, without the value that it writes; true where it sets something. */
static bool describe_entry(unsigned long request, const void *entry, char *target, size_t size,
			   char *kind, size_t kind_size)
{
	const struct abi_mbox_cmd *mailbox = entry;
	const struct abi_io_reg *io = entry;
	const struct abi_msr_cmd *msr = entry;

	if (request == ABI_IO_COMMAND) {
		snprintf(target, size, "mmio 0x%x of CPU %u", io->reg, io->logical_cpu);
		snprintf(kind, kind_size, "mmio %s", io->reg < 0x20 ? "clos" : "association");
		return io->read_write;
	}
	if (request == ABI_MSR_COMMAND) {
		snprintf(target, size, "msr 0x%llx of CPU %u", (unsigned long long)msr->msr,
			 msr->logical_cpu);
		snprintf(kind, kind_size, "msr 0x%llx", (unsigned long long)msr->msr);
		return msr->read_write;
	}
	snprintf(target, size, "mailbox 0x%x/0x%x 0x%x of CPU %u", mailbox->command,
		 mailbox->sub_command, mailbox->parameter, mailbox->logical_cpu);
	snprintf(kind, kind_size, "mailbox 0x%x/0x%x", mailbox->command, mailbox->sub_command);
	switch (mailbox->command) {
	case 0x7f:
		return mailbox->sub_command == 0x02 || mailbox->sub_command == 0x08;
	case 0x95:
		return true;
	default:
		return mailbox->command == 0xd0 && mailbox->parameter & 0x100;
	}
}

/** Where the entries of a batch begin, and how large they are. */
static bool find_layout(unsigned long request, size_t *header, size_t *stride)
{
	switch (request) {
	case ABI_MAILBOX_COMMAND:
		*header = offsetof(struct abi_mbox_cmds, mbox_cmd);
		*stride = sizeof(struct abi_mbox_cmd);
		return true;
	case ABI_IO_COMMAND:
		*header = offsetof(struct abi_io_regs, io_reg);
		*stride = sizeof(struct abi_io_reg);
		return true;
	case ABI_MSR_COMMAND:
		*header = offsetof(struct abi_msr_cmds, msr_cmd);
		*stride = sizeof(struct abi_msr_cmd);
		return true;
	default:
		return false;
	}
}

/** As the driver does: a batch ends before the entry that fails, which fails when it is sent
 * again. */
static int send_batch(void *data, int descriptor, unsigned long request, void *argument,
		      size_t header, size_t stride)
{
	uint32_t count, good = 0;
	unsigned int first = seam.counts->changes;
	int error = 0, answer;

	memcpy(&count, argument, sizeof(count));
	while (good < count && !error) {
		char target[80], kind[40];
		bool sets = describe_entry(request, (char *)argument + header + good * stride,
					   target, sizeof(target), kind, sizeof(kind));

		error = verdict(target, kind, sets);
		if (!error)
			good++;
		if (!error && sets && seam.counts->changes == seam.plan.after_change)
			break;
	}
	if (error)
		seam.repeats = error == -EBUSY && request == ABI_MAILBOX_COMMAND ? 3 : 1;
	if (error && good == 0) {
		seam.repeats--;
		seam.pending = error;
		return error;
	}
	seam.pending = error;
	memcpy(argument, &good, sizeof(good));
	answer = seam.inner->device->ioctl(data, descriptor, request, argument);
	memcpy(argument, &count, sizeof(count));
	/* Entries behind one that the machine itself refuses are not tried. */
	for (uint32_t i = good; i > (answer < 0 ? 0 : (uint32_t)answer) + 1; i--) {
		char target[80], kind[40];

		if (describe_entry(request, (char *)argument + header + (i - 1) * stride, target,
				   sizeof(target), kind, sizeof(kind)))
			forget_change();
	}
	for (unsigned int i = first; i < seam.counts->changes; i++)
		made(i + 1);
	return answer;
}

static int device_ioctl(void *data, int descriptor, unsigned long request, void *argument)
{
	const struct tpmi_request *tpmi = find_tpmi_request(request);
	size_t header, stride;

	if (tpmi)
		return send_tpmi(data, descriptor, tpmi, argument);
	if (request == ABI_CLOS_ASSOC)
		return send_associations(data, descriptor, argument);
	if (!find_layout(request, &header, &stride)) {
		int error = verdict("driver call", NULL, false);

		return error ? error
			     : seam.inner->device->ioctl(data, descriptor, request, argument);
	}
	if (seam.repeats > 0) {
		seam.repeats--;
		return seam.pending;
	}
	return send_batch(data, descriptor, request, argument, header, stride);
}

/* ---- Files ---- */

static int files_read(void *data, const char *path, char **content, size_t *size)
{
	int error = verdict(path, NULL, false);

	return error ? error : seam.inner->files->read(data, path, content, size);
}

static int files_list(void *data, const char *path, char ***names, size_t *count)
{
	int error = verdict(path, NULL, false);

	return error ? error : seam.inner->files->list(data, path, names, count);
}

static int finish(int answer)
{
	if (!answer)
		made(seam.counts->changes);
	return answer;
}

static int files_write(void *data, const char *path, const char *content, size_t size)
{
	int error = verdict(path, NULL, true);

	return error ? error : finish(seam.inner->files->write(data, path, content, size));
}

static int files_mkdir(void *data, const char *path)
{
	int answer = verdict(path, NULL, true);

	if (answer)
		return answer;
	answer = seam.inner->files->mkdir(data, path);
	/* A partition that grows is there already: as good as made. */
	if (!answer || answer == -EEXIST)
		made(seam.counts->changes);
	return answer;
}

static int files_rmdir(void *data, const char *path)
{
	int error = verdict(path, NULL, true);

	return error ? error : finish(seam.inner->files->rmdir(data, path));
}

static const struct device_operations DEVICE = { device_open, device_ioctl, device_close };
static const struct files_operations FILES = { .read = files_read,
					       .write = files_write,
					       .list = files_list,
					       .mkdir = files_mkdir,
					       .rmdir = files_rmdir };

/* ---- Opening ---- */

static void release(struct isst_machine *machine)
{
	(void)machine;
	seam.inner->release(seam.inner);
	free(seam.stuck);
	free(seam.again);
	seam.inner = NULL;
	seam.stuck = seam.again = NULL;
	seam.busy = NULL;
}

struct isst_machine *seam_open(struct isst_machine *inner, const struct seam_plan *plan,
			       struct seam_counts *counts)
{
	assert_null(seam.inner);
	seam.machine = *inner;
	seam.machine.device = &DEVICE;
	seam.machine.files = &FILES;
	seam.machine.release = release;
	seam.inner = inner;
	seam.plan = *plan;
	seam.counts = counts;
	seam.kind_space = 0;
	seam.repeats = 0;
	*counts = (struct seam_counts){ 0 };
	return &seam.machine;
}

void seam_counts_clear(struct seam_counts *counts)
{
	for (size_t i = 0; counts->kinds && counts->kinds[i]; i++)
		free(counts->kinds[i]);
	free(counts->kinds);
	free(counts->target);
	*counts = (struct seam_counts){ 0 };
}

unsigned int seam_changes(void)
{
	return seam.counts->changes;
}
