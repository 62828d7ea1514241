#!/bin/sh
# sh release/image.sh ROOT PACKAGE...: makes the root of an image in the folder ROOT: Node.js, a shell, the system's libraries that they and onnxruntime
# name, and the packages (robust-text and what only queues need), installed without scripts. The Dockerfile runs it, and so does `npm run rehearse`.
set -eu
root=$1
shift
mkdir -p "$root/app" "$root/etc" "$root/var/robust" "$root/tmp" "$root/usr/bin" "$root/var/lib/dpkg" "$root/work"
# Any user may run it.
chmod 1777 "$root/var/robust" "$root/tmp" "$root/work"
npm install --prefix "$root/app" --ignore-scripts --no-save --no-audit --no-fund "$@"

# Programs go to the same path, whatever link leads there; a shell and env are what scripts and `sh -c` in deploy/ need.
copied() {
  for file; do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
    { dpkg -S "$file" || dpkg -S "$(realpath "$file")"; } 2>/dev/null | grep -v '^diversion by ' | cut -d: -f1 >> "$root/tmp/packages" || true
  done
}
cp -L "$(command -v node)" "$root/usr/bin/node"
copied /bin/sh /usr/bin/env
libraries=$(find "$root/app" -name '*.node' -o -name 'libonnxruntime.so*')
# Names of libraries, of those that node, sh and onnxruntime name, and of the two that resolve host names at run time.
for file in $(ldd "$(command -v node)" /bin/sh /usr/bin/env $libraries 2>/dev/null | grep -o '/lib[^ ]*' | grep -v "^$root" | sort -u); do
  case $file in "$root"*|*:) ;; *) [ -f "$file" ] && copied "$file" ;; esac
done
for file in $(find /lib/*-linux-gnu /usr/lib/*-linux-gnu -maxdepth 1 \( -name 'libnss_dns.so.2' -o -name 'libresolv.so.2' \) 2>/dev/null | sort -u); do copied "$file"; done
# onnxruntime's text operators name this locale.
if command -v localedef > /dev/null && [ -f /usr/share/i18n/locales/en_US ]; then
  mkdir -p "$root/usr/lib/locale"
  localedef -i en_US -f UTF-8 --no-archive "$root/usr/lib/locale/en_US.utf8"
fi

ln -sf /app/node_modules/robust-text/bin/run.js "$root/usr/bin/robust"
ln -sf robust "$root/usr/bin/robust-text"
printf 'root:x:0:0:root:/:/bin/sh\nrobust:x:65532:65532:robust:/var/robust:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\nrobust:x:65532:\n' > "$root/etc/group"
printf 'hosts: files dns\n' > "$root/etc/nsswitch.conf"
# Those who scan images read what Debian's packages are there.
for package in $(sort -u "$root/tmp/packages"); do dpkg -s "$package"; echo; done > "$root/var/lib/dpkg/status"
rm "$root/tmp/packages"
