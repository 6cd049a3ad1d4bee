#!/usr/bin/env zsh
# SPDX-License-Identifier: GPL-2.0-or-later
# complete.zsh COMPLETION LINE...: what zsh itself offers at the end of each command line, typed into a zsh on a pseudo
# terminal: the candidates one a line, and a line "--" behind those of each command line.
emulate -R zsh
zmodload zsh/zpty
setopt extended_glob
typeset dir=$(mktemp -d) file=$1 line
shift
cp -- $file $dir/_qmapctl
# In the other shell: compadd, through which all candidates go, notes what it would add; after that a mark is printed.
cat >$dir/rc <<'END'
PS1= PS2= RPS1=
fpath=($DIR $fpath)
autoload -Uz compinit
compinit -D -u
unsetopt beep
zstyle ':completion:*' verbose no
zstyle ':completion:*' matcher-list ''
compadd() {
	local -a found
	local at=${argv[(i)(-|--)]}
	if [[ -z ${(M)argv[1,at]:#-[a-zA-Z12]#(O|A|D)[a-zA-Z12]#} ]]; then
		builtin compadd -A found "$@"
		(( $#found )) && print -rl -- $found >>$DIR/found
	fi
	builtin compadd "$@"
}
note() {
	_main_complete
	compstate[list]= compstate[insert]=
}
zle -C note complete-word note
finish() {
	zle note
	zle kill-buffer
	print -r -- -- >>$DIR/found
	print -r -- $'\n'MARK
}
zle -N finish
bindkey '^X' finish
print -r -- MARK
END
export DIR=$dir
zpty shell "ZDOTDIR=$dir TERM=dumb zsh -f -i"
zpty -w shell ". $dir/rc"
# Not before: the other shell would inherit it.
trap 'rm -rf $dir' EXIT
zpty -m -r shell REPLY '*MARK*' || exit
: >$dir/found
for line in "$@"; do
	zpty -n -w shell "$line"$'\C-X'
	zpty -m -r shell REPLY '*MARK*' || exit
done
zpty -d shell
cat $dir/found
