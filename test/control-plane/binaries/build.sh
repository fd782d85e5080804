#!/usr/bin/env bash
# Builds those parts of etcd and Kubernetes that are named from Go modules into the directory given, once; a control
# plane takes about 5 minutes on 2 cores, what a node has besides one more.
#   build.sh <directory> etcd kube-apiserver …
# The versions are those of go.mod beside this file. Each binary is renamed into place when it is whole,
# so an interrupted build is continued, never taken for a finished one.
set -euo pipefail
cd "$(dirname "$0")"
out=$1
shift
mkdir -p "$out"
trap 'rm -f "$out"/.*."$$"' EXIT

# Two test runs at once build each binary once; the second waits. The lock goes with the process that holds it.
if command -v flock >/dev/null; then
  exec 9>"$out/.lock"
  flock --nonblock 9 || { echo "waiting for another build into $out" >&2; flock 9; }
fi

kubernetes=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
major=${kubernetes#v} major=${major%%.*}
minor=${kubernetes#v*.} minor=${minor%%.*}
# Without these the API server calls itself v0.0.0 and refuses to start.
version=k8s.io/component-base/version
flags="-s -w -X $version.gitVersion=$kubernetes -X $version.gitMajor=$major -X $version.gitMinor=$minor"

build() { # name, package
  [ -x "$out/$1" ] && return
  echo "building $1" >&2
  CGO_ENABLED=0 go build -mod=readonly -buildvcs=false -trimpath -ldflags "$flags" -o "$out/.$1.$$" "$2"
  mv "$out/.$1.$$" "$out/$1"
}

for name in "$@"; do
  case $name in
  etcd) build etcd go.etcd.io/etcd/server/v3 ;;
  *) build "$name" "k8s.io/kubernetes/cmd/$name" ;;
  esac
done
