/* SPDX-License-Identifier: MIT */
/*
 * pam_rounds - a PAM module for the lab: asks each of its arguments PROMPT=ANSWER in a
 * round of its own and lets in who knows all answers. An argument without a prompt
 * (=TEXT) is told, not asked. All are asked, whatever is answered, so that a client
 * cannot tell which answer was wrong.
 *
 * PAM's interface is small and has stood still for decades, so what is used of it is
 * declared here (X/Open RFC 86.0, Linux-PAM) instead of asking for its development package.
 */
#include <stdlib.h>
#include <string.h>

#define PAM_SUCCESS         0
#define PAM_AUTH_ERR        7
#define PAM_CONV            5 /* item */
#define PAM_PROMPT_ECHO_OFF 1
#define PAM_TEXT_INFO       4
#define PROMPT_BYTES        128

struct pam_handle;

struct pam_message {
	int msg_style;
	const char *msg;
};

struct pam_response {
	char *resp;
	int resp_retcode;
};

struct pam_conv {
	int (*conv)(int count, const struct pam_message **messages, struct pam_response **responses,
	            void *data);
	void *appdata_ptr;
};

int pam_get_item(const struct pam_handle *pam, int item, const void **value);
int pam_sm_authenticate(struct pam_handle *pam, int flags, int argc, const char **argv);
int pam_sm_setcred(struct pam_handle *pam, int flags, int argc, const char **argv);

/* One argument: true when it was answered rightly, or only told. */
static int ask(const struct pam_conv *conv, const char *question)
{
	const char *answer = strrchr(question, '=');
	char prompt[PROMPT_BYTES];
	struct pam_message message = {.msg_style = PAM_PROMPT_ECHO_OFF, .msg = prompt};
	const struct pam_message *messages = &message;
	struct pam_response *response = NULL;
	int right;

	if (answer == NULL || (size_t)(answer - question) >= sizeof(prompt))
		return 0;
	memcpy(prompt, question, (size_t)(answer - question));
	prompt[answer - question] = '\0';
	if (answer == question)
		message = (struct pam_message){.msg_style = PAM_TEXT_INFO, .msg = answer + 1};
	if (conv->conv(1, &messages, &response, conv->appdata_ptr) != PAM_SUCCESS)
		return 0;
	right = answer == question || (response != NULL && response->resp != NULL &&
	                               strcmp(response->resp, answer + 1) == 0);
	if (response != NULL)
		free(response->resp);
	free(response);
	return right;
}

int pam_sm_authenticate(struct pam_handle *pam, int flags, int argc, const char **argv)
{
	const void *item = NULL;
	int wrong = argc < 1;

	(void)flags;
	if (pam_get_item(pam, PAM_CONV, &item) != PAM_SUCCESS || item == NULL)
		return PAM_AUTH_ERR;
	for (int i = 0; i < argc; i++)
		wrong |= !ask(item, argv[i]);
	return wrong ? PAM_AUTH_ERR : PAM_SUCCESS;
}

int pam_sm_setcred(struct pam_handle *pam, int flags, int argc, const char **argv)
{
	(void)pam;
	(void)flags;
	(void)argc;
	(void)argv;
	return PAM_SUCCESS;
}
