dnl QM_HARDENING
dnl Sets HARDENING_CPPFLAGS, HARDENING_CFLAGS and HARDENING_LDFLAGS to what distributions build with, as far as the
dnl compiler takes it beside the user's own flags. These come later on the command line, so that they win. $hardening
dnl says what became of it. Call it after the compiler is known.
AC_DEFUN([QM_HARDENING], [
AC_ARG_ENABLE([hardening],
	[AS_HELP_STRING([--disable-hardening], [build without the compiler's protections against attacks])],
	[], [enable_hardening=yes])
hardening=$enable_hardening
dnl A sanitizer sees less behind fortified functions, and brings protections of its own.
AS_IF([test "x$hardening" != xno], [
	AS_CASE([" $CC $CPPFLAGS $CFLAGS $LDFLAGS "], [*" -fsanitize="*], [hardening="no, for a sanitizer"])
])
AS_IF([test "x$hardening" = xyes], [
	_QM_FORTIFY
	m4_foreach([qm_flag], [[-fstack-protector-strong], [-fstack-clash-protection], [-fcf-protection],
		[-mbranch-protection=standard], [-Wformat -Werror=format-security]],
		[_QM_HARDENING_FLAG(qm_flag, [AS_VAR_APPEND([HARDENING_CFLAGS], [" qm_flag"])])])
	dnl What is linked statically, or not to be moved, is made by other rules.
	AS_CASE([" $CC $CFLAGS $LDFLAGS "], [*" -static"*|*" -no-pie "*|*" -fno-pie "*|*" -fno-PIE "*], [],
		[_QM_HARDENING_FLAG([-fPIE -pie], [
			AS_VAR_APPEND([HARDENING_CFLAGS], [" -fPIE"])
			AS_VAR_APPEND([HARDENING_LDFLAGS], [" -pie"])])])
	_QM_HARDENING_FLAG([-Wl,-z,relro -Wl,-z,now],
		[AS_VAR_APPEND([HARDENING_LDFLAGS], [" -Wl,-z,relro -Wl,-z,now"])])
])
AC_SUBST([HARDENING_CPPFLAGS])
AC_SUBST([HARDENING_CFLAGS])
AC_SUBST([HARDENING_LDFLAGS])
])

dnl _QM_HARDENING_FLAG(FLAGS, WHAT TO DO where a program compiles and links with them and nothing warns)
AC_DEFUN([_QM_HARDENING_FLAG], [
AC_MSG_CHECKING([whether $CC takes $1])
qm_save_CFLAGS=$CFLAGS
CFLAGS="$1 $CFLAGS -Werror"
AC_LINK_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])
$2], [AC_MSG_RESULT([no])])
CFLAGS=$qm_save_CFLAGS
])

dnl The C library checks the sizes that the compiler knows, and warns where this is asked for without optimisation, or
dnl beyond what both can do. Many distributions set it themselves.
AC_DEFUN([_QM_FORTIFY], [
AC_MSG_CHECKING([how far the C library can check sizes])
qm_fortify=no
AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#ifdef _FORTIFY_SOURCE
# error given
#endif
]])], [
	AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#ifndef __OPTIMIZE__
# error not optimised
#endif
]])], [
		qm_save_CFLAGS=$CFLAGS
		for qm_level in 3 2; do
			CFLAGS="-D_FORTIFY_SOURCE=$qm_level $qm_save_CFLAGS -Werror"
			AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]])],
				[qm_fortify=$qm_level; HARDENING_CPPFLAGS=" -D_FORTIFY_SOURCE=$qm_level"; break])
		done
		CFLAGS=$qm_save_CFLAGS
	], [qm_fortify="not without optimisation"])
], [qm_fortify="as the given flags say"])
AC_MSG_RESULT([$qm_fortify])
])
