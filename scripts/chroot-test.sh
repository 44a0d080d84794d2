#!/usr/bin/env bash
# Tests the README's instructions on an empty machine: a fresh Debian 12 in a
# folder, where a clone of this repository runs both commands as root and then
# again as an ordinary user, when the packages are already installed.
#
#   scripts/chroot-test.sh [--setup-only] FOLDER
#
# Needs root, debootstrap, 7 GB in FOLDER and about an hour on 2 cores. The
# chroot copies this machine's apt sources, keys and proxy settings. Only
# committed changes are tested. --setup-only stops after `apt-get update`.
# A FOLDER that has a finished bootstrap is reused.
set -euo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
setup_only=
[ "${1:-}" = --setup-only ] && { setup_only=1; shift; }
if [ $# != 1 ] || [ "$(id -u)" != 0 ]; then
  sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
mkdir -p "$1"
jail=$(cd "$1" && pwd)

say() { printf '\n== %s\n' "$*"; }

inside() { # usage: inside USER COMMAND: a login shell with nothing inherited
  chroot "$jail" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    "${proxies[@]}" su -s /bin/bash -w "$proxy_names" - "$1" -c "$2"
}

# Pass the environment's proxy settings on: apt and pip need them.
proxies=() proxy_names=http_proxy,https_proxy,no_proxy,PIP_INDEX_URL
for name in ${proxy_names//,/ }; do
  [ -z "${!name:-}" ] || proxies+=("$name=${!name}")
done

unmount() {
  for mount in dev/shm dev/pts dev proc sys; do
    mountpoint -q "$jail/$mount" && umount -l "$jail/$mount"
  done
  return 0
}
trap unmount EXIT

# Use this machine's mirror and keyring for bookworm.
mirror_of_host() {
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
      sed -nE 's/^deb +(\[[^]]*\] +)?([^ ]+) bookworm .*/\2/p'
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
      awk '/^URIs:/ {uri = $2} /^Suites:/ && / bookworm( |$)/ {print uri}'
  } | head -n 1
}

if [ ! -e "$jail/etc/apt/tdc-sources" ]; then
  say "debootstrap"
  mirror=$(mirror_of_host)
  [ -n "$mirror" ] || { echo "no apt source for bookworm on this machine" >&2; exit 1; }
  debootstrap --variant=minbase --include=ca-certificates bookworm "$jail" "$mirror"

  # Do not copy sources of other software on this machine (not bookworm).
  rm -rf "$jail/etc/apt/sources.list" "$jail/etc/apt/sources.list.d"
  mkdir "$jail/etc/apt/sources.list.d"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    grep -qsE '(^deb .*|^Suites:.*)[ ]bookworm(-security|-updates)?( |$)' "$file" &&
      cp "$file" "$jail${file}"
  done
  cp -a /etc/apt/apt.conf.d/. "$jail/etc/apt/apt.conf.d/"
  cp -a /usr/share/keyrings/. "$jail/usr/share/keyrings/"
  [ ! -d /etc/apt/keyrings ] || cp -a /etc/apt/keyrings "$jail/etc/apt/"
  # Private certificate authorities, pip's settings, and name resolution.
  cp -a /usr/local/share/ca-certificates/. "$jail/usr/local/share/ca-certificates/"
  chroot "$jail" update-ca-certificates >/dev/null 2>&1
  [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$jail/etc/"
  touch "$jail/etc/apt/tdc-sources"
fi
for file in /etc/resolv.conf /etc/hosts; do
  [ ! -f "$file" ] || cp -L "$file" "$jail$file"
done
mount --bind /dev "$jail/dev"
mount -t tmpfs tmpfs "$jail/dev/shm"
mount -t devpts devpts "$jail/dev/pts"
mount -t proc proc "$jail/proc"
mount -t sysfs sysfs "$jail/sys"

say "apt-get update in the chroot"
inside root "apt-get update"
[ -z "$setup_only" ] || exit 0

# The only packages that a new user is assumed to have.
inside root "apt-get install -y --no-install-recommends git python3 >/dev/null"
chroot "$jail" id newcomer >/dev/null 2>&1 || chroot "$jail" useradd -m newcomer

results=()
timed() { # usage: timed USER COMMAND
  say "$1: $2"
  local began=$SECONDS status=0
  inside "$1" "cd ~/tdc && $2" || status=$?
  results+=("$(printf '%-9s %5d s  exit %d  %s' "$1" $((SECONDS - began)) "$status" "$2")")
}

for user in root newcomer; do
  home=$(chroot "$jail" getent passwd "$user" | cut -d: -f6)
  rm -rf "$jail$home/tdc"
  git clone -q "$repository" "$jail$home/tdc"
  chroot "$jail" chown -R "$user": "$home/tdc"
  timed "$user" "./tdc.sh run examples/simple_model.tdsl"
  timed "$user" "./tdc.sh run examples/simple_model.tdsl"
  timed "$user" "./tdc.sh test"
done

say "times"
printf '%s\n' "${results[@]}"
! printf '%s\n' "${results[@]}" | grep -qv 'exit 0'
