/* SPDX-License-Identifier: MIT */
/*
 * sk_software - a FIDO token in software, for tests: a security key provider as
 * OpenSSH's PROTOCOL.u2f describes it (API 10). A key handle is the private key
 * itself, so nothing here is secure; the signatures are real ones.
 *
 *	ssh-keygen -t ecdsa-sk -w sk_software.so ...
 *	ssh-agent -P sk_software.so, then ssh-add -S sk_software.so KEY
 *
 * It signs after SK_SOFTWARE_TOUCH_MS of the agent's environment.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/sha.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION     0x000a0000u
#define ECDSA           0x00 /* algorithm */
#define ERROR_GENERAL   (-1)
#define ERROR_NO_ALG    (-2)
#define SCALAR_BYTES    32
#define POINT_BYTES     65
#define CHALLENGE_BYTES 69 /* hash of the application, flags, counter, hash of the data */

struct sk_enroll_response {
	uint8_t flags;
	uint8_t *public_key;
	size_t public_key_len;
	uint8_t *key_handle;
	size_t key_handle_len;
	uint8_t *signature;
	size_t signature_len;
	uint8_t *attestation_cert;
	size_t attestation_cert_len;
	uint8_t *authdata;
	size_t authdata_len;
};

struct sk_sign_response {
	uint8_t flags;
	uint32_t counter;
	uint8_t *sig_r;
	size_t sig_r_len;
	uint8_t *sig_s;
	size_t sig_s_len;
};

struct sk_option;
struct sk_resident_key;

uint32_t sk_api_version(void);
int sk_enroll(uint32_t alg, const uint8_t *challenge, size_t challenge_len, const char *application,
              uint8_t flags, const char *pin, struct sk_option **options,
              struct sk_enroll_response **response);
int sk_sign(uint32_t alg, const uint8_t *data, size_t data_len, const char *application,
            const uint8_t *key_handle, size_t key_handle_len, uint8_t flags, const char *pin,
            struct sk_option **options, struct sk_sign_response **response);
int sk_load_resident_keys(const char *pin, struct sk_option **options,
                          struct sk_resident_key ***keys, size_t *count);

uint32_t sk_api_version(void)
{
	return API_VERSION;
}

static uint8_t *copy(const void *bytes, size_t size)
{
	uint8_t *p = malloc(size > 0 ? size : 1);

	if (p != NULL)
		memcpy(p, bytes, size);
	return p;
}

/* A new key's scalar and its point, uncompressed. */
static int make_key(uint8_t scalar[SCALAR_BYTES], uint8_t point[POINT_BYTES])
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	BIGNUM *d = NULL;
	size_t len = 0;
	int ok = key != NULL && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &d) == 1 &&
	         BN_bn2binpad(d, scalar, SCALAR_BYTES) == SCALAR_BYTES &&
	         EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, POINT_BYTES,
	                                         &len) == 1 &&
	         len == POINT_BYTES;

	BN_clear_free(d);
	EVP_PKEY_free(key);
	return ok;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is OpenSSH's */
int sk_enroll(uint32_t alg, const uint8_t *challenge, size_t challenge_len, const char *application,
              uint8_t flags, const char *pin, struct sk_option **options,
              struct sk_enroll_response **response)
{
	uint8_t scalar[SCALAR_BYTES];
	uint8_t point[POINT_BYTES];
	struct sk_enroll_response *r;

	(void)challenge;
	(void)challenge_len;
	(void)application;
	(void)pin;
	(void)options;
	if (alg != ECDSA)
		return ERROR_NO_ALG;
	r = calloc(1, sizeof(*r));
	if (r == NULL || !make_key(scalar, point)) {
		free(r);
		return ERROR_GENERAL;
	}
	r->flags = flags;
	r->public_key = copy(point, POINT_BYTES);
	r->public_key_len = POINT_BYTES;
	r->key_handle = copy(scalar, SCALAR_BYTES);
	r->key_handle_len = SCALAR_BYTES;
	r->signature = copy("", 0);
	r->attestation_cert = copy("", 0);
	r->authdata = copy("", 0);
	*response = r;
	return 0;
}

/* The key of a handle. Its public half is not needed to sign. */
static EVP_PKEY *key_of(const uint8_t scalar[SCALAR_BYTES])
{
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	BIGNUM *d = BN_secure_new();
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
	OSSL_PARAM *params = NULL;
	EVP_PKEY *key = NULL;

	if (build != NULL && d != NULL && ctx != NULL &&
	    BN_bin2bn(scalar, SCALAR_BYTES, d) != NULL &&
	    OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
	    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, d) == 1)
		params = OSSL_PARAM_BLD_to_param(build);
	if (params == NULL || EVP_PKEY_fromdata_init(ctx) != 1 ||
	    EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, params) != 1)
		key = NULL;
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(build);
	EVP_PKEY_CTX_free(ctx);
	BN_clear_free(d);
	return key;
}

/* r and s of an ECDSA signature, each padded to its full length. */
static int sign(EVP_PKEY *key, const uint8_t *bytes, size_t size, uint8_t r[SCALAR_BYTES],
                uint8_t s[SCALAR_BYTES])
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	uint8_t der[128];
	size_t len = sizeof(der);
	const uint8_t *p = der;
	ECDSA_SIG *sig = NULL;
	int ok = md != NULL && EVP_DigestSignInit(md, NULL, EVP_sha256(), NULL, key) == 1 &&
	         EVP_DigestSign(md, der, &len, bytes, size) == 1;

	if (ok)
		sig = d2i_ECDSA_SIG(NULL, &p, (long)len);
	ok = sig != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(sig), r, SCALAR_BYTES) > 0 &&
	     BN_bn2binpad(ECDSA_SIG_get0_s(sig), s, SCALAR_BYTES) > 0;
	ECDSA_SIG_free(sig);
	EVP_MD_CTX_free(md);
	return ok;
}

/* A person takes time. */
static void wait_for_touch(void)
{
	const char *ms = getenv("SK_SOFTWARE_TOUCH_MS");

	if (ms != NULL)
		(void)poll(NULL, 0, (int)strtol(ms, NULL, 10));
}

/* NOLINTNEXTLINE(readability-function-size): so is this one */
int sk_sign(uint32_t alg, const uint8_t *data, size_t data_len, const char *application,
            const uint8_t *key_handle, size_t key_handle_len, uint8_t flags, const char *pin,
            struct sk_option **options, struct sk_sign_response **response)
{
	struct sk_sign_response *answer = calloc(1, sizeof(*answer));
	uint8_t bytes[CHALLENGE_BYTES] = {0};
	uint8_t r[SCALAR_BYTES];
	uint8_t s[SCALAR_BYTES];
	EVP_PKEY *key = NULL;

	(void)pin;
	(void)options;
	wait_for_touch();
	if (alg == ECDSA && key_handle_len == SCALAR_BYTES)
		key = key_of(key_handle);
	(void)SHA256((const uint8_t *)application, strlen(application), bytes);
	bytes[32] = flags;
	bytes[36] = 1; /* the counter, big-endian */
	(void)SHA256(data, data_len, bytes + 37);
	if (answer == NULL || key == NULL || !sign(key, bytes, sizeof(bytes), r, s)) {
		EVP_PKEY_free(key);
		free(answer);
		return ERROR_GENERAL;
	}
	EVP_PKEY_free(key);
	*answer = (struct sk_sign_response){.flags = flags,
	                                    .counter = 1,
	                                    .sig_r = copy(r, sizeof(r)),
	                                    .sig_r_len = sizeof(r),
	                                    .sig_s = copy(s, sizeof(s)),
	                                    .sig_s_len = sizeof(s)};
	*response = answer;
	return 0;
}

int sk_load_resident_keys(const char *pin, struct sk_option **options,
                          struct sk_resident_key ***keys, size_t *count)
{
	(void)pin;
	(void)options;
	*keys = NULL;
	*count = 0;
	return 0;
}
