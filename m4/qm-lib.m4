dnl QM_LIB(VARIABLE-PREFIX, PKG-CONFIG MODULE AND VERSION, DEBIAN, FEDORA, SUSE, [HOW TO DO WITHOUT])
dnl Needs a library; where it is missing, says which package has it.
AC_DEFUN([QM_LIB], [
PKG_CHECK_MODULES([$1], [$2], [],
	[AC_MSG_ERROR([$2 was not found.
  It is in the package $3 (Debian, Ubuntu), $4 (Fedora, RHEL) or $5 (SUSE).m4_ifval([$6], [
  $6])
  "./bootstrap" installs all that is needed.])])
])

dnl QM_LIB_WITH(OPTION, what follows as for QM_LIB up to SUSE)
dnl The same for a library that --without-OPTION does without; defines HAVE_PREFIX for C and Automake.
AC_DEFUN([QM_LIB_WITH], [
AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [build without lib$1])], [], [with_$1=yes])
AS_IF([test "x$with_$1" != xno], [
	QM_LIB([$2], [$3], [$4], [$5], [$6], [Or build without it: --without-$1.])
	with_$1=yes
	AC_DEFINE([HAVE_$2], [1], [Define to 1 to use lib$1.])
])
AM_CONDITIONAL([HAVE_$2], [test "x$with_$1" = xyes])
])
