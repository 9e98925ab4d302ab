/* SPDX-License-Identifier: MIT */
#include "hostops/vim_cmd.h"

#include <string.h>

#include "hostops/keyed.h"

/* Virtual Infrastructure JSON API, VirtualEthernetCard and what extends it. */
static const struct {
	const char *type, *adapter;
} adapters[] = {
	{"VirtualE1000", "e1000"},
	{"VirtualE1000e", "e1000e"},
	{"VirtualVmxnet3", "vmxnet3"},
	{"VirtualVmxnet2", "vmxnet2"},
	{"VirtualVmxnet", "vmxnet"},
	{"VirtualPCNet32", "vlance"},
	{"VirtualSriovEthernetCard", "sriov"},
	{"VirtualVmxnet3Vrdma", "vmxnet3-vrdma"},
};

/* Without blanks, a comma at the end and quotes. */
static const char *clean(struct arena *arena, const char *value, size_t len)
{
	while (len > 0 && strchr(" ,\r", value[len - 1]) != NULL)
		len--;
	if (len == 7 && memcmp(value, "<unset>", 7) == 0)
		return NULL;
	if (len >= 2 && (value[0] == '"' || value[0] == '\'') && value[len - 1] == value[0]) {
		value++;
		len -= 2;
	}
	return arena_strndup(arena, value, len);
}

/* "key = value" alone: names and addresses may hold colons. */
static bool next_pair(const char **at, const char **key, size_t *key_len, const char **value,
                      size_t *value_len)
{
	while (**at != '\0') {
		const char *line = *at;
		size_t len = strcspn(line, "\n");
		size_t blanks = strspn(line, " \t");
		size_t name;

		*at += len + (line[len] == '\n');
		line += blanks > len ? len : blanks;
		len -= blanks > len ? len : blanks;
		name = strcspn(line, " \n");
		if (name + 3 > len || memcmp(line + name, " = ", 3) != 0)
			continue;
		*key = line;
		*key_len = name;
		*value = line + name + 3;
		*value_len = len - name - 3;
		return true;
	}
	return false;
}

const char *vim_value(struct arena *arena, const char *text, const char *key)
{
	const char *k, *value;
	size_t k_len, len;

	while (next_pair(&text, &k, &k_len, &value, &len)) {
		if (k_len == strlen(key) && memcmp(k, key, k_len) == 0)
			return clean(arena, value, len);
	}
	return NULL;
}

/* The last word before *end, and moves *end to its begin. */
static const char *last_word(struct arena *arena, const char *line, const char **end)
{
	const char *stop = *end;
	const char *at;

	while (stop > line && stop[-1] == ' ')
		stop--;
	at = stop;
	while (at > line && at[-1] != ' ')
		at--;
	*end = at;
	return arena_strndup(arena, at, (size_t)(stop - at));
}

/* The first place of `word` between at and end, or NULL. */
static const char *find_between(const char *at, const char *end, const char *word)
{
	size_t len = strlen(word);

	for (; at + len <= end; at++) {
		if (memcmp(at, word, len) == 0)
			return at;
	}
	return NULL;
}

/*
 * "22   nas core   [datastore 2] nas core/nas core.vmx   freebsd12_64Guest   vmx-15   note":
 * columns are two blanks apart at least. Names and folders may have brackets, the file ends in
 * ".vmx", then come a word and "vmx-NN".
 */
static bool read_vm(struct arena *arena, const char *line, size_t len, struct vim_vm *out)
{
	const char *end = line + len;
	size_t digits = strspn(line, "0123456789");
	const char *name = line + digits + strspn(line + digits, " ");
	const char *file, *file_end, *hardware, *before;

	if (digits == 0 || name == line + digits || name >= end ||
	    !keyed_int(line, digits, &out->id))
		return false;
	file = find_between(name + 1, end, "  [");
	file_end = file == NULL ? NULL : find_between(file, end, ".vmx ");
	if (file_end == NULL)
		return false;
	file += 2;
	file_end += 4;
	hardware = find_between(file_end, end, " vmx-");
	if (hardware == NULL)
		return false;
	before = hardware;
	out->guest = last_word(arena, file_end, &before);
	out->hardware = arena_strndup(arena, hardware + 1, strcspn(hardware + 1, " \r\n"));
	out->file = arena_strndup(arena, file, (size_t)(file_end - file));
	while (file > name && file[-1] == ' ')
		file--;
	out->name = arena_strndup(arena, name, (size_t)(file - name));
	return out->guest[0] != '\0';
}

struct vim_vms vim_vms_read(struct arena *arena, const char *text)
{
	struct vim_vms all = {0};
	size_t room = 1;

	for (const char *at = text; *at != '\0'; at++)
		room += *at == '\n';
	if (room > VIM_VMS_MAX)
		room = VIM_VMS_MAX;
	all.at = arena_alloc(arena, room, sizeof(*all.at));
	while (*text != '\0' && all.count < room) {
		size_t len = strcspn(text, "\n");

		all.count += read_vm(arena, text, len, &all.at[all.count]);
		text += len + (text[len] == '\n');
	}
	return all;
}

/* "      (vim.vm.device.VirtualE1000) {": what follows the last point, up to the bracket. */
static bool is_device(const char *line, size_t len, const char **type, size_t *type_len)
{
	static const char prefix[] = "(vim.vm.device.Virtual";
	size_t blanks = strspn(line, " ");

	if (blanks >= len || strncmp(line + blanks, prefix, sizeof(prefix) - 1) != 0)
		return false;
	*type = line + blanks + sizeof(prefix) - 1 - strlen("Virtual");
	*type_len = strcspn(*type, ")\n");
	return memchr(*type, '.', *type_len) ==
	       NULL; /* "VirtualDevice.ConnectInfo" is a part of one */
}

/* One device's lines. What has a MAC address is a network adapter, of whichever kind. */
static void take_device(struct arena *arena, struct vim_nics *all, const char *text, size_t len)
{
	struct vim_nic *nic = &all->at[all->count];
	const char *own = arena_strndup(arena, text, len);
	const char *type;
	size_t type_len;

	if (all->count == VIM_NICS_MAX || strstr(own, "macAddress = ") == NULL ||
	    !is_device(own, len, &type, &type_len))
		return;
	for (size_t i = 0; i < COUNT_OF(adapters); i++) {
		if (strlen(adapters[i].type) == type_len &&
		    memcmp(adapters[i].type, type, type_len) == 0)
			nic->adapter = adapters[i].adapter;
	}
	nic->label = vim_value(arena, own, "label");
	nic->network = vim_value(arena, own, "deviceName");
	nic->mac = vim_value(arena, own, "macAddress");
	all->count++;
}

struct vim_nics vim_nics_read(struct arena *arena, const char *text)
{
	struct vim_nics all = {0};
	const char *begin = NULL; /* of the last device's text */
	const char *type;
	size_t type_len;

	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		if (is_device(text, len, &type, &type_len)) {
			if (begin != NULL)
				take_device(arena, &all, begin, (size_t)(text - begin));
			begin = text;
		}
		text += len + (text[len] == '\n');
	}
	if (begin != NULL)
		take_device(arena, &all, begin, (size_t)(text - begin));
	return all;
}

enum vim_power vim_power_read(const char *text)
{
	static const struct {
		const char *line;
		enum vim_power power;
	} states[] = {
		{"Powered on", VIM_POWER_ON},
		{"Powered off", VIM_POWER_OFF},
		{"Suspended", VIM_POWER_SUSPENDED},
	};

	while (*text != '\0') {
		size_t len = strcspn(text, "\r\n");

		for (size_t i = 0; i < COUNT_OF(states); i++) {
			if (strlen(states[i].line) == len && memcmp(states[i].line, text, len) == 0)
				return states[i].power;
		}
		text += len;
		text += *text != '\0';
	}
	return VIM_POWER_UNKNOWN;
}
