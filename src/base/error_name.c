/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of errors, with those of the kernel's own that drivers leak. */
#include "base/error_name.h"
#include "common/number.h"
#include "isst.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct name {
	int number;
	const char *text;
};

/* clang-format off */
#define NAME(error) { error, #error }

/* Of two for one number the first is its name. */
static const struct name names[] = {
	NAME(EPERM), NAME(ENOENT), NAME(ESRCH), NAME(EINTR), NAME(EIO), NAME(ENXIO), NAME(E2BIG),
	NAME(ENOEXEC), NAME(EBADF), NAME(ECHILD), NAME(EAGAIN), NAME(ENOMEM), NAME(EACCES),
	NAME(EFAULT), NAME(ENOTBLK), NAME(EBUSY), NAME(EEXIST), NAME(EXDEV), NAME(ENODEV),
	NAME(ENOTDIR), NAME(EISDIR), NAME(EINVAL), NAME(ENFILE), NAME(EMFILE), NAME(ENOTTY),
	NAME(ETXTBSY), NAME(EFBIG), NAME(ENOSPC), NAME(ESPIPE), NAME(EROFS), NAME(EMLINK),
	NAME(EPIPE), NAME(EDOM), NAME(ERANGE), NAME(EDEADLK), NAME(ENAMETOOLONG), NAME(ENOLCK),
	NAME(ENOSYS), NAME(ENOTEMPTY), NAME(ELOOP), NAME(ENOMSG), NAME(EIDRM), NAME(ECHRNG),
	NAME(EL2NSYNC), NAME(EL3HLT), NAME(EL3RST), NAME(ELNRNG), NAME(EUNATCH), NAME(ENOCSI),
	NAME(EL2HLT), NAME(EBADE), NAME(EBADR), NAME(EXFULL), NAME(ENOANO), NAME(EBADRQC),
	NAME(EBADSLT), NAME(EBFONT), NAME(ENOSTR), NAME(ENODATA), NAME(ETIME), NAME(ENOSR),
	NAME(ENONET), NAME(ENOPKG), NAME(EREMOTE), NAME(ENOLINK), NAME(EADV), NAME(ESRMNT),
	NAME(ECOMM), NAME(EPROTO), NAME(EMULTIHOP), NAME(EDOTDOT), NAME(EBADMSG),
	NAME(EOVERFLOW), NAME(ENOTUNIQ), NAME(EBADFD), NAME(EREMCHG), NAME(ELIBACC),
	NAME(ELIBBAD), NAME(ELIBSCN), NAME(ELIBMAX), NAME(ELIBEXEC), NAME(EILSEQ),
	NAME(ERESTART), NAME(ESTRPIPE), NAME(EUSERS), NAME(ENOTSOCK), NAME(EDESTADDRREQ),
	NAME(EMSGSIZE), NAME(EPROTOTYPE), NAME(ENOPROTOOPT), NAME(EPROTONOSUPPORT),
	NAME(ESOCKTNOSUPPORT), NAME(EOPNOTSUPP), NAME(EPFNOSUPPORT), NAME(EAFNOSUPPORT),
	NAME(EADDRINUSE), NAME(EADDRNOTAVAIL), NAME(ENETDOWN), NAME(ENETUNREACH),
	NAME(ENETRESET), NAME(ECONNABORTED), NAME(ECONNRESET), NAME(ENOBUFS), NAME(EISCONN),
	NAME(ENOTCONN), NAME(ESHUTDOWN), NAME(ETOOMANYREFS), NAME(ETIMEDOUT), NAME(ECONNREFUSED),
	NAME(EHOSTDOWN), NAME(EHOSTUNREACH), NAME(EALREADY), NAME(EINPROGRESS), NAME(ESTALE),
	NAME(EUCLEAN), NAME(ENOTNAM), NAME(ENAVAIL), NAME(EISNAM), NAME(EREMOTEIO), NAME(EDQUOT),
	NAME(ENOMEDIUM), NAME(EMEDIUMTYPE), NAME(ECANCELED), NAME(ENOKEY), NAME(EKEYEXPIRED),
	NAME(EKEYREVOKED), NAME(EKEYREJECTED), NAME(EOWNERDEAD), NAME(ENOTRECOVERABLE),
	NAME(ERFKILL), NAME(EHWPOISON),
	NAME(EWOULDBLOCK), NAME(EDEADLOCK), NAME(ENOTSUP), /* synonyms on some architectures */
	/* Drivers may pass on errors of other parts of the kernel. */
	{ 512, "ERESTARTSYS" },
	{ 515, "ENOIOCTLCMD" },
	{ 517, "EPROBE_DEFER" },
	{ 524, "ENOTSUPP" },
};
/* clang-format on */

struct error_text error_name(int error)
{
	unsigned int number = error < 0 ? 0 - (unsigned int)error : (unsigned int)error;
	struct error_text result;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if ((unsigned int)names[i].number != number)
			continue;
		snprintf(result.text, sizeof(result.text), "%s", names[i].text);
		return result;
	}
	snprintf(result.text, sizeof(result.text), "%u", number);
	return result;
}

int error_number(const char *name)
{
	uint64_t number;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i].text, name) == 0)
			return names[i].number;
	return number_parse(name, 10, ERROR_NUMBER_MAX, &number) ? 0 : (int)number;
}
