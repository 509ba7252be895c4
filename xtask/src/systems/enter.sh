# Mounts what a command needs in the directory for other systems, and becomes the command. The arguments are that
# directory, what is mounted there, and the command. Mounts and processes end with it: see root.rs.
root=$1 checkout=$2 target=$3 cargo=$4 rig=$5; shift 5
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 1
mount --bind "$checkout" "$root/checkout" && mount --bind "$target" "$root/target" || exit 1
mount --bind "$cargo" "$root/cargo" && mount --bind "$rig" "$root/rig" || exit 1
cp /etc/resolv.conf "$root/etc/resolv.conf"
exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    CARGO_HOME=/cargo CARGO_TARGET_DIR=/target CARGO_INCREMENTAL=0 RUSTC_BOOTSTRAP=1 \
    CARGO_HTTP_CAINFO=/etc/ssl/certs/ca-certificates.crt \
    sh -c 'cd /checkout && exec "$@"' sh "$@"
