/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/plan/random_lab.h"

#include <stdio.h>

enum { USES_MAX = 4, HOSTS_MAX = 128, RESOURCES_MAX = 384 };

struct dice {
	struct random_lab *lab;
	struct plan_random *random;
};

static bool is_one_in(struct dice *d, uint64_t n)
{
	return plan_random_below(d->random, n) == 0;
}

static const char *name(struct dice *d, const char *prefix, size_t number)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%s%zu", prefix, number);

	return arena_strndup(&d->lab->arena, text, (size_t)len);
}

static const struct resource *add_resource(struct dice *d, enum resource_kind kind, uint32_t slots)
{
	struct topology *topo = &d->lab->topo;
	struct resource *r = &topo->resources[topo->resource_count];

	*r = (struct resource){
		.name = name(d, "r", topo->resource_count++), .kind = kind, .slots = slots};
	return r;
}

static void use(const struct resource **uses, size_t *count, const struct resource *resource)
{
	if (*count < USES_MAX)
		uses[(*count)++] = resource;
}

static struct host *add_host(struct dice *d, enum host_kind kind, const struct host *runs_on)
{
	static const char *const vswitches[] = {NULL, "v1", "v2"};
	struct topology *topo = &d->lab->topo;
	struct host *host = &topo->hosts[topo->host_count];
	struct nic *nic = arena_alloc(&d->lab->arena, 1, sizeof(*nic));

	*host = (struct host){
		.name = name(d, "h", topo->host_count++), .kind = kind, .runs_on = runs_on};
	host->uses = arena_alloc(&d->lab->arena, USES_MAX, sizeof(const struct resource *));
	host->nics = nic;
	host->nic_count = 1;
	*nic = (struct nic){
		.name = "n", .host = host, .ip = "192.0.2.1", .segment = &topo->segments[0]};
	nic->uses = arena_alloc(&d->lab->arena, USES_MAX, sizeof(const struct resource *));
	nic->vswitch = vswitches[plan_random_below(d->random, 3)];
	if (is_one_in(d, 4))
		nic->segment = &topo->segments[1];
	if (is_one_in(d, 3))
		use(nic->uses, &nic->use_count, add_resource(d, RESOURCE_PORT, 1));
	return host;
}

static void add_hypervisor(struct dice *d, size_t vms, const struct resource *trunk)
{
	struct host *esx = add_host(d, HOST_ESXI, NULL);
	const struct resource *uplink = add_resource(d, RESOURCE_LINK, 1);

	use(esx->nics->uses, &esx->nics->use_count, uplink);
	if (is_one_in(d, 2))
		use(esx->uses, &esx->use_count,
		    add_resource(d, RESOURCE_CPU, 1 + (uint32_t)plan_random_below(d->random, 3)));
	if (is_one_in(d, 8))
		use(esx->uses, &esx->use_count, trunk);
	for (size_t i = 0; i < vms; i++) {
		struct host *vm = add_host(d, HOST_VM, esx);

		use(vm->nics->uses, &vm->nics->use_count, uplink);
	}
}

static void begin(struct dice *d)
{
	struct random_lab *lab = d->lab;
	struct topology *topo = &lab->topo;

	*lab = (struct random_lab){
		.profile = {.name = "p", .classes = (1u << PATH_CLASS_COUNT) - 1}};
	topo->path = "random.yaml";
	topo->hosts = arena_alloc(&lab->arena, HOSTS_MAX, sizeof(*topo->hosts));
	topo->resources = arena_alloc(&lab->arena, RESOURCES_MAX, sizeof(*topo->resources));
	topo->segments = arena_alloc(&lab->arena, 2, sizeof(*topo->segments));
	topo->segment_count = 2;
	topo->segments[0].name = "lan";
	topo->segments[1].name = "other";
	topo->routes = arena_alloc(&lab->arena, 1, sizeof(*topo->routes));
	topo->route_count = 1;
	topo->routes[0].a = &topo->segments[1];
	topo->routes[0].b = &topo->segments[0];
	topo->profiles = &lab->profile;
	topo->profile_count = 1;
	topo->design.duration_ms = 1000;
}

void random_lab_make(struct random_lab *lab, struct plan_random *random)
{
	struct dice d = {lab, random};
	const struct resource *trunk;
	size_t hypervisors = 1 + (size_t)plan_random_below(random, 4);
	size_t machines = (size_t)plan_random_below(random, 4);

	begin(&d);
	trunk = add_resource(&d, RESOURCE_LINK, 1);
	for (size_t i = 0; i < hypervisors; i++)
		add_hypervisor(&d, 1 + (size_t)plan_random_below(random, 4), trunk);
	for (size_t i = 0; i < machines; i++) {
		struct host *pc = add_host(&d, HOST_BAREMETAL, NULL);

		use(pc->nics->uses, &pc->nics->use_count, add_resource(&d, RESOURCE_LINK, 1));
		if (is_one_in(&d, 4))
			use(pc->uses, &pc->use_count, trunk);
	}
	lab->topo.design.isolation = (enum isolation)plan_random_below(random, 3);
	lab->topo.design.order = is_one_in(&d, 2) ? ORDER_RANDOM : ORDER_SPLIT_PLOT;
	lab->topo.design.repeats.min = 2;
	lab->profile.fixed.given = 1u << FACTOR_DIRECTION;
	lab->profile.fixed.direction = is_one_in(&d, 3) ? DIRECTION_BIDIR : DIRECTION_FORWARD;
}

void random_lab_of(struct random_lab *lab, struct plan_random *random, size_t hypervisors,
                   size_t vms)
{
	struct dice d = {lab, random};

	begin(&d);
	for (size_t i = 0; i < hypervisors; i++) {
		struct host *esx = add_host(&d, HOST_ESXI, NULL);
		const struct resource *uplink = add_resource(&d, RESOURCE_LINK, 1);

		use(esx->nics->uses, &esx->nics->use_count, uplink);
		for (size_t k = 0; k < vms; k++) {
			struct host *vm = add_host(&d, HOST_VM, esx);

			use(vm->nics->uses, &vm->nics->use_count, uplink);
		}
	}
	lab->topo.design.repeats.min = 1;
}

void random_lab_done(struct random_lab *lab)
{
	arena_done(&lab->arena);
}
