/* SPDX-License-Identifier: BSD-3-Clause */
/* Held changes of several requests, which write some items more than once: rolled back by their
 * process or, after SIGKILL, by the next one. */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const NAMES[] = {
	"level 1",
	"level 1 online",
	"base-freq enable auto",
	"turbo-freq enable auto cpus",
	"core-power enable ordered",
	"core-power disable",
	"clos",
	"association",
	"turbo ratio limits",
	"turbo-mode disable",
};

/** A seeded sequence of numbers, so that a failure can be repeated. */
static uint64_t seed;

static unsigned int draw(unsigned int below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(seed >> 33) % below;
}

/** Plans two to four requests. Returns false where one of them is refused. */
static bool plan(struct isst_context *context, struct isst_change *change, char *text, size_t size)
{
	unsigned int count;

	/* Of a failure it is printed with what was planned. */
	snprintf(text, size, "seed %llu: ", (unsigned long long)seed);
	count = 2 + draw(3);
	for (unsigned int i = 0; i < count; i++) {
		const struct request *request = request_find(NAMES[draw(COUNT(NAMES))]);
		struct objections objections = { .lines = strdup("") };
		int error = request_plan(context, change, request, &objections);
		bool refused = error || objections.error || !objections.planned;

		snprintf(text + strlen(text), size - strlen(text), "%s; ", request->name);
		free(objections.lines);
		if (refused || isst_change_check(change))
			return false;
	}
	return true;
}

/** What is to become of the held change. */
enum end { ROLL_BACK, DIE };

/** Returns false where the requests cannot be combined. */
static bool make(const struct machine *machine, enum end end, unsigned int *changes, char *text,
		 size_t size)
{
	static const struct isst_change_options OPTIONS = { .hold = true };
	struct seam_counts counts;
	struct isst_options options = { .machine = seam_open(machine_open(machine), &seam_counting,
							     &counts) };
	struct isst_context *context;
	struct isst_change *change;
	bool made;

	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_lock(context, 1000, 0), 0);
	if (isst_discover(context))
		fail_msg("%s: %s", machine->name, isst_error(context));
	assert_int_equal(isst_change_new(context, &OPTIONS, &change), 0);
	made = plan(context, change, text, size);
	if (made && isst_change_run(change) < 0)
		fail_msg("%s, %s: %s", machine->name, text, isst_error(context));
	if (made && end == DIE)
		raise(SIGKILL);
	if (made && isst_change_roll_back(change))
		fail_msg("%s, %s: %s", machine->name, text, isst_error(context));
	isst_change_free(change);
	isst_close(context);
	*changes = counts.changes;
	seam_counts_clear(&counts);
	return made;
}

/** Makes the same in a process that is killed after so many changes, or else when it holds the
 * change. */
static void make_killed(const struct machine *machine, unsigned int after)
{
	unsigned int changes;
	char text[256];
	pid_t child;
	int status;

	if (after > 0)
		machine_faults(machine, "change any after %u times 1 signal KILL", after - 1);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		make(machine, after > 0 ? ROLL_BACK : DIE, &changes, text, sizeof(text));
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		fail_msg("%s, %s: not killed after %u, status 0x%x", machine->name, text, after,
			 (unsigned int)status);
	machine_faults(machine, "%s", "");
}

static void recover(const struct machine *machine, const char *before, const char *text,
		    unsigned int after)
{
	machine_next_run(machine, 0, "");
	machine_check(machine, before, "%s killed after %u", text, after);
}

static void check(const struct machine *machine, uint64_t number)
{
	autofree char *before = machine_picture(machine);
	unsigned int changes, after;
	char text[256];

	seed = number;
	if (make(machine, ROLL_BACK, &changes, text, sizeof(text))) {
		machine_check(machine, before, "%s", text);
		seed = number;
		make_killed(machine, 0);
		recover(machine, before, text, 0);
		after = changes > 0 ? 1 + draw(changes) : 0;
		seed = number;
		make_killed(machine, after);
		recover(machine, before, text, after);
	}
}

/** On a machine as after boot, and on one with both features on. */
TEST_ON(combined_requests, "tests/tiny", "tests/multi-die", "tests/offline", "tests/features-on",
	"tests/tpmi-tiny", "tests/tpmi-modules", "guide")
{
	static const char *const BEFORE[] = { NULL,
					      "base-freq enable auto; turbo-freq enable auto" };
	const char *count = getenv("ISST_SEEDS");
	const int most = count ? atoi(count) : suite_is_large() ? 40 : 10;
	struct machine machine;

	for (size_t i = 0; i < COUNT(BEFORE); i++) {
		machine = machine_begin(*state);
		machine_restart(&machine, BEFORE[i]);
		for (int number = 1; number <= most; number++)
			check(&machine, (uint64_t)number);
		machine_end(&machine);
	}
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
