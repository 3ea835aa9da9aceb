#!/usr/bin/env bash
# Puts the Neovim of Debian 13 (0.10.4), or with the argument `emacs` its Emacs (30.1), with all
# libraries that it needs, libc too, into .cache/editors (ignored by git), and a command `nvim` or
# `emacs` that starts it there: nothing is installed.
# The packages come from the mirror that this machine's apt uses, checked by Debian's keys.
# Finishes at once when it is there already.
set -euo pipefail

RELEASE=trixie

root=$(cd "$(dirname "$0")/../.." && pwd)
editor=${1:-nvim}
case $editor in
    nvim) package=neovim ;;
    emacs) package=emacs-nox ;;
    *) echo "setup.sh: nvim or emacs, not $editor." >&2; exit 2 ;;
esac
cache=${EDITCAST_EDITORS_CACHE:-$root/.cache/editors}/$editor
keys=/usr/share/keyrings/debian-archive-keyring.gpg

if [[ -x $cache/$editor ]]; then
    exit 0
fi
if [[ $(uname -m) != x86_64 || ! -f $keys ]] || ! command -v apt-get dpkg-deb >/dev/null; then
    echo "setup.sh: a newer $editor is fetched on Debian on x86-64 only; install Neovim 0.10 or Emacs 30." >&2
    exit 2
fi
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    'Origin: Debian' 'Label: Debian' | head -n 1)
if [[ -z $mirror ]]; then
    echo "setup.sh: apt knows no mirror of Debian; run apt-get update, or install Neovim 0.10 or Emacs 30." >&2
    exit 2
fi

mkdir -p "$cache"
exec 9>"$cache.lock"
flock 9               # two test runs at once set it up once
if [[ -x $cache/$editor ]]; then
    exit 0
fi
rm -rf "$cache"
mkdir -p "$cache"/apt/{lists,archives,parts} "$cache/root"
cd "$cache"

# An apt of its own that has nothing installed: so it fetches every library as well.
echo "deb [signed-by=$keys] $mirror $RELEASE main" > apt/sources.list
: > apt/status
cat > apt/apt.conf <<END
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Sandbox::User "$(id -un)";
Dir::Etc::SourceList "$cache/apt/sources.list";
Dir::Etc::SourceParts "$cache/apt/parts";
Dir::State::Lists "$cache/apt/lists";
Dir::State::status "$cache/apt/status";
Dir::Cache "$cache/apt";
Debug::NoLocking "true";
Acquire::Languages "none";
END
export APT_CONFIG=$cache/apt/apt.conf
apt-get update -qq
apt-get install -qq --download-only --no-install-recommends -y "$package" >/dev/null
for package in apt/archives/*.deb; do
    dpkg-deb -x "$package" root
done
rm -rf apt

begin="$cache/root/usr/lib64/ld-linux-x86-64.so.2 --library-path $cache/root/usr/lib/x86_64-linux-gnu"
if [[ $editor == nvim ]]; then
    cat > nvim.new <<END
#!/bin/sh
VIMRUNTIME="$cache/root/usr/share/nvim/runtime" exec $begin "$cache/root/usr/bin/nvim" "\$@"
END
else
    share=$(echo "$cache"/root/usr/share/emacs/[0-9]*)
    programs=$(echo "$cache"/root/usr/libexec/emacs/[0-9]*/*)
    cat > emacs.new <<END
#!/bin/sh
export EMACSLOADPATH="$(find "$share/lisp" -type d ! -path '*/obsolete*' | tr '\n' ':')"
export EMACSDATA="$share/etc" EMACSDOC="$share/etc" EMACSPATH="$programs"
exec $begin "$cache/root/usr/bin/emacs-nox" --dump-file="$(echo "$programs"/*.pdmp)" "\$@"
END
fi
chmod +x "$editor.new"
"./$editor.new" --version | head -n 1
mv "$editor.new" "$editor"
