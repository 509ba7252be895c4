//! Another user redirects every name where agents search, again and again, between our checks and writes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::*;
use crate::discovery::sweep;

/// A program that replaces each of our names by a link, a directory or a file, until its input ends.
const NEIGHBOUR: &str = r#"
my ($elsewhere, @names) = @ARGV;
$| = 1; print "ready\n";
fcntl(STDIN, 4, 2048);  # it does not wait for its input
my $n = 0;
while (!defined(my $read = sysread(STDIN, my $byte, 1)) || $read) {
    for my $name (@names) {
        rename($name, "away." . $n++ % 7) or unlink($name);
        my $what = int(rand(8));
        if    ($what < 3) { symlink($elsewhere, $name) }
        elsif ($what < 5) { symlink("$elsewhere/$name", $name) }
        elsif ($what < 6) { mkdir($name, 0777) }
        elsif ($what < 7) { open(my $file, '>', $name) }
        else              { rename("away." . int(rand(7)), $name) }
    }
}
"#;

/// The running program, which ends when this is dropped.
struct Neighbour(Child);

impl Neighbour {
    /// Starts the program, as another user if the test runs as root.
    fn start(tmp: &Path, elsewhere: &Path, names: &[String]) -> Self {
        let mut command = Command::new("perl");
        command.args(["-e", NEIGHBOUR]).arg(elsewhere).args(names).current_dir(tmp);
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("perl is there");
        let mut line = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().expect("piped"), &mut line).expect("it begins");
        Self(child)
    }

    fn check_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Returns each path below a directory with its mode, its time of modification and its content.
fn snapshot(directory: &Path) -> BTreeMap<PathBuf, (u32, i64, Option<Vec<u8>>)> {
    let (mut all, mut pending) = (BTreeMap::new(), vec![directory.to_owned()]);
    while let Some(path) = pending.pop() {
        let found = path.symlink_metadata().expect("the path exists");
        if found.is_dir() {
            pending.extend(fs::read_dir(&path).expect("ours").map(|entry| entry.expect("an entry").path()));
        }
        let content = found.is_file().then(|| fs::read(&path).expect("ours"));
        all.insert(path, (found.mode(), found.mtime_nsec() + found.mtime() * 1_000_000_000, content));
    }
    all
}

/// Returns the files in the shared directory that hold a token and that another user owns or may read.
fn exposed_token_files(directory: &Path) -> Vec<PathBuf> {
    let (mut found, mut pending) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(path) = pending.pop() {
        // The file of a name may change at any moment, so the checks are of the open file that is read.
        let unfollowed = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let opened = fs::File::options().read(true).custom_flags(unfollowed.bits().cast_signed()).open(&path);
        let Ok(mut file) = opened else { continue };
        let Ok(metadata) = file.metadata() else { continue };
        if metadata.is_dir() {
            pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if metadata.is_file() {
            let is_exposed = !alongside_platform::files::is_ours(&metadata) || metadata.mode() & 0o077 != 0;
            let mut text = Vec::new();
            let has_token =
                file.read_to_end(&mut text).is_ok() && String::from_utf8_lossy(&text).contains("token-");
            found.extend((is_exposed && has_token).then_some(path));
        }
    }
    found
}

#[test]
fn names_redirected_while_we_write_change_nothing_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for name in ["tmp", "home", "project", "canary"] {
        fs::create_dir(path(name)).unwrap();
    }
    set_mode(directory.path(), 0o755);
    // The neighbour may rename even our files there.
    set_mode(&path("tmp"), 0o777);
    let mut publisher = publisher(directory.path(), 4711);
    publisher.aliases = false;
    let roots = [path("project")];
    assert_eq!(publisher.publish(&roots, true).problems, []);
    let written: Vec<PathBuf> = publisher.written.iter().map(|found| found.path.clone()).collect();
    let below: Vec<&Path> = written.iter().filter_map(|file| file.strip_prefix(path("tmp")).ok()).collect();
    publisher.withdraw();
    // The bait: files of a dead companion with our names, which we would remove if we took them for ours.
    for name in &below {
        let bait = path("canary").join(name);
        fs::create_dir_all(bait.parent().unwrap()).unwrap();
        fs::create_dir_all(path("canary/ide")).unwrap();
        let record = r#"{"port":1,"workspacePath":"/","authToken":"of the dead","writer":"alongside"}"#;
        for bait in [
            bait,
            path("canary/ide").join(name.file_name().unwrap()),
            path("canary").join(name.file_name().unwrap()),
        ] {
            fs::File::create(bait).unwrap().write_all(record.as_bytes()).unwrap();
        }
    }
    for folder in ["canary", "canary/ide", "canary/gemini"] {
        set_mode(&path(folder), 0o755);
    }
    let before = snapshot(&path("canary"));
    assert!(before.len() > 10, "{before:?}");

    let firsts = below.iter().filter_map(|name| name.iter().next()?.to_str()).map(str::to_owned);
    let mut names: Vec<String> = firsts.collect();
    names.sort();
    names.dedup();
    let mut neighbour = Neighbour::start(&path("tmp"), &path("canary"), &names);
    let (mut written, mut kept_out) = (0, 0);
    for round in 0..400 {
        kept_out += usize::from(!publisher.publish(&roots, round % 2 == 0).problems.is_empty());
        written += publisher.written.iter().filter(|found| found.read_again().is_some()).count();
        sweep::sweep(&publisher.dirs, &publisher.endpoint.token);
        assert_eq!(exposed_token_files(&path("tmp")), Vec::<PathBuf>::new(), "in round {round}");
        publisher.withdraw();
    }
    assert!(neighbour.check_running(), "without the neighbour, the test shows nothing");
    drop(neighbour);
    assert!(
        written > 0 && kept_out > 0,
        "the writes and the neighbour met: {written} written, kept out {kept_out} times"
    );
    assert_eq!(snapshot(&path("canary")), before, "files elsewhere are unchanged");
}
