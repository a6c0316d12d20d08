# packages DIRECTORY: installs its packages, unless npm completed that before, which is when it writes .package-lock.json.
packages() {
    [[ $1/node_modules/.package-lock.json -nt $1/package-lock.json ]] && return
    command -v npm >/dev/null && npm --prefix "$1" ci --ignore-scripts --no-audit --no-fund
}
