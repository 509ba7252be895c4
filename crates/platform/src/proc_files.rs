//! Reads the files of Linux below `/proc` on processes and on listening sockets.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, Mode, OFlags, fstat, openat, readlinkat};

/// Lists the ids of all processes, in no order; none if `/proc` cannot be read.
pub(crate) fn all_pids() -> impl Iterator<Item = u32> {
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A process. All calls refer to the same process, even if its id is reused meanwhile.
pub(crate) struct ProcProcess(OwnedFd);

impl ProcProcess {
    /// Opens the process with this id. `None` if it has ended, or the system hides it.
    pub(crate) fn open(pid: u32) -> Option<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, format!("/proc/{pid}"), flags, Mode::empty()).ok().map(Self)
    }

    /// Opens this process, even if `/proc` has other process ids than this process sees.
    pub(crate) fn own() -> Option<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, "/proc/self", flags, Mode::empty()).ok().map(Self)
    }

    /// Returns the name of its network namespace. `None` if this process may not read it.
    pub(crate) fn network(&self) -> Option<OsString> {
        let name = readlinkat(&self.0, "ns/net", Vec::new()).ok()?;
        Some(OsString::from_vec(name.into_bytes()))
    }

    fn read(&self, file: &str) -> Option<Vec<u8>> {
        let file = openat(&self.0, file, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let mut bytes = Vec::new();
        std::fs::File::from(file).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Returns the id of the parent.
    pub(crate) fn parent(&self) -> Option<u32> {
        Stat::parse(&self.read("stat")?).map(|stat| stat.parent)
    }

    /// Whether the process has ended, and its parent has not reaped it.
    pub(crate) fn has_ended(&self) -> bool {
        self.read("stat").and_then(|stat| Stat::parse(&stat)).is_some_and(|stat| stat.has_ended)
    }

    /// Returns the time of the start, to a clock tick; `None` once the process has ended, even if its parent
    /// has not reaped it.
    pub(crate) fn started(&self) -> Option<SystemTime> {
        let stat = Stat::parse(&self.read("stat")?).filter(|stat| !stat.has_ended)?;
        let ticks = stat.start_ticks;
        let booted = boot_seconds(&std::fs::read_to_string("/proc/stat").ok()?)?;
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        let after_boot = Duration::from_millis(ticks.saturating_mul(1000) / per_second);
        (SystemTime::UNIX_EPOCH + Duration::from_secs(booted)).checked_add(after_boot)
    }

    /// Returns the id of the user.
    pub(crate) fn user(&self) -> Option<u32> {
        fstat(&self.0).ok().map(|found| found.st_uid)
    }

    /// Returns the program and its arguments, without empty ones. `None` also if they are not UTF-8.
    pub(crate) fn command_line(&self) -> Option<Vec<String>> {
        let words = String::from_utf8(self.read("cmdline")?).ok()?;
        Some(words.split('\0').filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }

    /// Returns the environment at the start.
    pub(crate) fn environment(&self) -> Option<HashMap<OsString, OsString>> {
        Some(variables(&self.read("environ")?))
    }

    /// Returns the current directory.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        let path = readlinkat(&self.0, "cwd", Vec::new()).ok()?;
        Some(OsString::from_vec(path.into_bytes()).into())
    }
}

/// The fields of `/proc/PID/stat` that are used.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    /// Whether the process has ended, and was not reaped.
    has_ended: bool,
    parent: u32,
    /// The time of the start, in clock ticks since the boot.
    start_ticks: u64,
}

impl Stat {
    /// Parses the fields by their positions. Only the name of the program, in parentheses, may contain spaces
    /// and parentheses.
    fn parse(stat: &[u8]) -> Option<Self> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let mut fields = std::str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
        // The first field after the name is the state, field 3 of proc_pid_stat(5).
        let has_ended = matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let start_ticks = fields.nth(22 - 5)?.parse().ok()?;
        // A further field shows that this number is complete.
        fields.next()?;
        Some(Self { has_ended, parent, start_ticks })
    }
}

/// Returns the time of the boot in seconds, from `/proc/stat`.
fn boot_seconds(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// Parses variables that each end in a NUL byte. Of two with the same name, the last counts.
fn variables(environ: &[u8]) -> HashMap<OsString, OsString> {
    let variable = |bytes: &[u8]| {
        let equals = bytes.iter().position(|byte| *byte == b'=')?;
        let text = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
        Some((text(&bytes[..equals]), text(&bytes[equals + 1..])))
    };
    environ.split(|byte| *byte == 0).filter_map(variable).collect()
}

/// A listening socket.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listener {
    pub(crate) address: SocketAddr,
    pub(crate) user: u32,
}

/// Lists the listeners of IPv4 and IPv6. `None` if the system does not report those of IPv4.
pub(crate) fn listeners() -> Option<Vec<Listener>> {
    let table = |name: &str| parse_listeners(&std::fs::read_to_string(format!("/proc/net/{name}")).ok()?);
    let mut listeners = table("tcp")?;
    listeners.extend(table("tcp6").into_iter().flatten());
    Some(listeners)
}

/// The state of a listening socket, `TCP_LISTEN` of the kernel.
const TCP_LISTEN: u8 = 10;

/// Parses a table of sockets below its heading; `None` if a line has another form.
fn parse_listeners(table: &str) -> Option<Vec<Listener>> {
    let mut listeners = Vec::new();
    for line in table.lines().skip(1) {
        // The fields: number, local and remote address, state, queues, timer, retransmits, user.
        let mut fields = line.split_ascii_whitespace().skip(1);
        let address = parse_address(fields.next()?)?;
        let state = u8::from_str_radix(fields.nth(1)?, 16).ok()?;
        let user = fields.nth(3)?.parse().ok()?;
        // The timeout after the user id shows that the id is complete.
        fields.next()?;
        if state == TCP_LISTEN {
            listeners.push(Listener { address, user });
        }
    }
    Some(listeners)
}

/// Parses an address, which is printed as words of 32 bits in the byte order of the machine, and a port.
fn parse_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let mut bytes = Vec::new();
    for word in address.as_bytes().chunks(8) {
        let word = std::str::from_utf8(word).ok().filter(|word| word.len() == 8)?;
        bytes.extend(u32::from_str_radix(word, 16).ok()?.to_ne_bytes());
    }
    let address = match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(bytes) => IpAddr::V4(Ipv4Addr::from(bytes)),
        Err(_) => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)),
    };
    Some(SocketAddr::new(address, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a line of `/proc/PID/stat`, for a program with this name.
    fn stat(name: &str) -> String {
        format!(
            "6157 ({name}) S 6150 6150 23048 0 -1 4194304 275 0 0 0 0 0 0 0 20 0 1 0 1365300 2990080 421 \
             18446744073709551615 94239492096000 94239492113929 140730643886752 0 0 0 0 6 0 1 0 0 17 1 0 0 0 \
             0\n"
        )
    }

    #[test]
    fn parent_and_start_are_found_after_any_name() {
        for name in ["sleep", "a b", "tmux: server", "((sd-pam))", "x) R 1 (y", "", "a\nb"] {
            let found = Stat::parse(stat(name).as_bytes());
            assert_eq!(
                found,
                Some(Stat { has_ended: false, parent: 6150, start_ticks: 1_365_300 }),
                "{name}"
            );
        }
        let mut bytes = stat("x").into_bytes();
        bytes[6] = 0xff;
        assert_eq!(Stat::parse(&bytes).map(|stat| stat.parent), Some(6150), "a name in another encoding");
    }

    #[test]
    fn a_truncated_stat_is_refused() {
        let whole = stat("sleep");
        let last_needed = whole.find(" 2990080").unwrap();
        for end in 0..=last_needed {
            assert_eq!(Stat::parse(&whole.as_bytes()[..end]), None, "{}", &whole[..end]);
        }
        assert_eq!(Stat::parse(b"1 (x) S -1 2"), None);
    }

    #[test]
    fn the_time_of_the_boot_is_read() {
        assert_eq!(boot_seconds("cpu  1 2\nctxt 5\nbtime 1795723280\nprocesses 9\n"), Some(1_795_723_280));
        for text in ["", "btime", "btime x\n", "notbtime 5\n"] {
            assert_eq!(boot_seconds(text), None, "{text}");
        }
    }

    #[test]
    fn variables_are_split_at_the_first_equals_sign() {
        let read = variables(b"A=1\0B=x=y\0EMPTY=\0NONE\0\0\xff=\xfe\0A=2\0CUT=of");
        let text = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
        let wanted: [(&[u8], &[u8]); 5] =
            [(b"A", b"2"), (b"B", b"x=y"), (b"EMPTY", b""), (b"\xff", b"\xfe"), (b"CUT", b"of")];
        assert_eq!(read, wanted.map(|(name, value)| (text(name), text(value))).into());
    }

    const HEADING: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";

    /// Returns a line of a table of sockets.
    fn socket(address: &str, state: &str, user: &str) -> String {
        let zeros = "00000000:00000000 00:00000000 00000000";
        format!(
            "   0: {address} 00000000:0000 {state} {zeros}  {user}        0 52431 1 00000000facdc058 100 0\n"
        )
    }

    /// The tables were recorded on a machine with this byte order.
    #[cfg(target_endian = "little")]
    #[test]
    fn listeners_of_both_families_are_read() {
        let table = [
            HEADING,
            &socket("0100007F:1F90", "0A", "1000"),
            &socket("00000000:07E8", "0A", "   0"),
            &socket("0100007F:A9E0", "06", "1000"),
            &socket("00000000000000000000000001000000:FFFF", "0A", "1001"),
            &socket("00000000000000000000000000000000:0016", "0A", "1001"),
            &socket("0000000000000000FFFF00000100007F:0050", "0A", "1001"),
            &socket("B80D0120000000000000000000003412:0050", "0A", "1001"),
        ];
        let read: Vec<_> = parse_listeners(&table.concat())
            .unwrap()
            .into_iter()
            .map(|listener| (listener.address.to_string(), listener.user))
            .collect();
        let wanted = [
            ("127.0.0.1:8080", 1000),
            ("0.0.0.0:2024", 0),
            ("[::1]:65535", 1001),
            ("[::]:22", 1001),
            ("[::ffff:127.0.0.1]:80", 1001),
            ("[2001:db8::1234:0]:80", 1001),
        ];
        assert_eq!(read, wanted.map(|(address, user)| (address.to_owned(), user)));
    }

    #[test]
    fn a_damaged_table_is_refused() {
        assert_eq!(parse_listeners(""), Some(Vec::new()));
        assert_eq!(parse_listeners(HEADING), Some(Vec::new()));
        let whole = format!("{HEADING}{}", socket("0100007F:1F90", "0A", "1000"));
        let last_needed = whole.find("        0 52431").unwrap();
        for end in HEADING.len() + 1..=last_needed {
            assert_eq!(parse_listeners(&whole[..end]), None, "{}", &whole[..end]);
        }
        for address in ["0100007F", "0100007:1F90", "0100007F00:1F90", "0100007é:1F90", "G100007F:1F90", ":1"]
        {
            let table = format!("{HEADING}{}", socket(address, "0A", "0"));
            assert_eq!(parse_listeners(&table), None, "{address}");
        }
    }
}
