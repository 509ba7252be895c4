//! The changes that agents, shells and people make in a project.

use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};

use super::text;
use super::tree::path;
use crate::rng::Rng;

/// The paths of all changes. Some exclude each other, some differ only in upper and lower case.
const NAMES: [&[u8]; 20] = [
    b"a",
    b"A",
    b"b.txt",
    b"c.sh",
    b"d/a",
    b"d/A",
    b"d/e/f",
    b"d",
    b"d/e",
    b"g\nh",
    b"t\tq\"\\",
    b"-n",
    b":(top)x",
    b"\xff\xfe",
    b"\xc3\xa9",
    b"[a]*",
    b"sp ace ",
    b"build/o",
    b"x.ign",
    b".env",
];

/// A change. With `in_place`, the file itself is rewritten; otherwise a new file is renamed over it. `Sneak`
/// changes bytes, but neither the length nor the modification time. `HardLink` gives a file a second name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Write { at: usize, text: u64, in_place: bool },
    Edit { at: usize, text: u64, in_place: bool },
    Sneak { at: usize, text: u64 },
    Append { at: usize, text: u64 },
    Link { at: usize, to: usize },
    HardLink { at: usize, to: usize },
    Pipe { at: usize },
    Remove { at: usize },
    Rename { at: usize, to: usize },
    // Changes the name to upper case.
    Recase { at: usize },
    Mode { at: usize, mode: u32 },
    Directory { at: usize },
    // Runs git as a person or an agent does.
    Git(GitCommand),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitCommand {
    Add,
    Commit,
    Stash,
    Unstash,
    Checkout,
    Back,
    Reset,
    Rebase,
}

impl Change {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let (at, to) = (rng.index(NAMES.len()), rng.index(NAMES.len()));
        // The texts of few numbers are frequent, so that several files have the same text.
        let text = if rng.percent(20) { rng.below(4) } else { rng.below(u64::MAX) };
        let in_place = rng.percent(50);
        match rng.below(100) {
            0..20 => Self::Write { at, text, in_place },
            20..50 => Self::Edit { at, text, in_place },
            50 => Self::Sneak { at, text },
            51..58 => Self::Append { at, text },
            58..63 => Self::Link { at, to },
            63..65 => Self::HardLink { at, to },
            65..66 => Self::Pipe { at },
            66..75 => Self::Remove { at },
            75..84 => Self::Rename { at, to },
            84..86 => Self::Recase { at },
            86..93 => Self::Mode { at, mode: [0o755, 0o644, 0o600, 0o700, 0o444][rng.index(5)] },
            93..95 => Self::Directory { at },
            _ => Self::Git(GitCommand::random(rng)),
        }
    }

    /// Makes this change in the project at `top`. Does nothing if the change is impossible now.
    pub(super) fn carry_out(self, top: &Path) -> Result<()> {
        let file = |at: usize| top.join(path(NAMES[at]));
        let is_file = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        match self {
            Self::Write { at, text, in_place } => write(top, &file(at), &text::new(text), in_place),
            Self::Edit { at, text, in_place } => {
                let old = if is_file(&file(at)) { fs::read(file(at))? } else { text::new(text) };
                write(top, &file(at), &text::edited(&old, text), in_place)
            }
            Self::Sneak { at, text } if is_file(&file(at)) => {
                let before = file(at).metadata()?;
                // Git compares times in seconds, and the time of the last status change cannot be set.
                let second =
                    |at: SystemTime| at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
                while second(SystemTime::now()) <= before.ctime().cast_unsigned() {
                    std::thread::sleep(Duration::from_millis(20));
                }
                fs::write(file(at), text::same_length(&fs::read(file(at))?, text))?;
                Ok(File::options().append(true).open(file(at))?.set_modified(before.modified()?)?)
            }
            Self::Append { at, text } if is_file(&file(at)) => {
                Ok(File::options().append(true).open(file(at))?.write_all(&text::new(text))?)
            }
            Self::Link { at, to } => {
                make_room(top, &file(at))?;
                Ok(symlink(path(NAMES[to]), file(at))?)
            }
            Self::HardLink { at, to } if is_file(&file(at)) && at != to => {
                make_room(top, &file(to))?;
                // Fails if `make_room` has removed the file.
                let _ = fs::hard_link(file(at), file(to));
                Ok(())
            }
            Self::Pipe { at } => {
                make_room(top, &file(at))?;
                let mode = rustix::fs::Mode::from(0o600);
                Ok(rustix::fs::mknodat(rustix::fs::CWD, file(at), rustix::fs::FileType::Fifo, mode, 0)?)
            }
            Self::Remove { at } => remove(&file(at)),
            Self::Rename { at, to } => rename(top, &file(at), &file(to)),
            Self::Recase { at } => {
                let other = NAMES[at].to_ascii_uppercase();
                rename(top, &file(at), &top.join(path(&other)))
            }
            Self::Mode { at, mode } if is_file(&file(at)) => {
                Ok(fs::set_permissions(file(at), Permissions::from_mode(mode))?)
            }
            Self::Directory { at } => {
                // Fails if there is a file of this name.
                let _ = fs::create_dir_all(file(at));
                Ok(())
            }
            Self::Git(command) => command.run(top),
            Self::Sneak { .. } | Self::Append { .. } | Self::HardLink { .. } | Self::Mode { .. } => Ok(()),
        }
    }
}

/// Makes room for a file, as a shell does with `rm -rf` and `mkdir -p`.
fn make_room(top: &Path, path: &Path) -> Result<()> {
    for above in path.ancestors().skip(1).take_while(|above| *above != top) {
        if above.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            fs::remove_file(above)?;
        }
    }
    fs::create_dir_all(path.parent().context("the file has no parent directory")?)?;
    remove(path)
}

fn remove(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(fs::remove_dir_all(path)?),
        Ok(_) => Ok(fs::remove_file(path)?),
        Err(_) => Ok(()),
    }
}

fn write(top: &Path, path: &Path, bytes: &[u8], in_place: bool) -> Result<()> {
    if in_place && path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Ok(fs::write(path, bytes)?);
    }
    let other = PathBuf::from(path.as_os_str().to_owned()).with_file_name(".written");
    if path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        fs::write(&other, bytes)?;
        return Ok(fs::rename(other, path)?);
    }
    make_room(top, path)?;
    Ok(fs::write(path, bytes)?)
}

/// Renames a file or a directory, if that is possible.
fn rename(top: &Path, from: &Path, to: &Path) -> Result<()> {
    if from.symlink_metadata().is_err() || from == to || to.starts_with(from) || from.starts_with(to) {
        return Ok(());
    }
    make_room(top, to)?;
    // Fails if `make_room` has removed the file.
    let _ = fs::rename(from, to);
    Ok(())
}

impl GitCommand {
    fn random(rng: &mut Rng) -> Self {
        use GitCommand::{Add, Back, Checkout, Commit, Rebase, Reset, Stash, Unstash};
        [Add, Commit, Commit, Stash, Unstash, Checkout, Back, Reset, Rebase][rng.index(9)]
    }

    /// Runs the command. If git refuses, nothing changes.
    fn run(self, top: &Path) -> Result<()> {
        let commands: &[&[&str]] = match self {
            Self::Add => &[&["add", "-A"]],
            Self::Commit => &[&["add", "-A"], &["commit", "-q", "--allow-empty", "-m", "x"]],
            Self::Stash => &[&["stash", "-q", "-u"]],
            Self::Unstash => &[&["stash", "pop", "-q"]],
            Self::Checkout => &[&["checkout", "-q", "-B", "other"]],
            Self::Back => &[&["checkout", "-q", "main"]],
            Self::Reset => &[&["reset", "-q", "--hard"]],
            Self::Rebase => &[&["rebase", "-q", "--autostash", "other"], &["rebase", "--abort"]],
        };
        for arguments in commands {
            let _ = git(top, arguments)?;
        }
        Ok(())
    }
}

/// Runs git as a person does. Returns whether it succeeded.
pub(super) fn git(top: &Path, arguments: &[&str]) -> Result<bool> {
    let mut command = Command::new("git");
    for (variable, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_"))
    {
        command.env_remove(variable);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for setting in ["user.name=a", "user.email=a@example.com", "init.defaultBranch=main", "gc.auto=0"] {
        command.args(["-c", setting]);
    }
    command.args(arguments).current_dir(top).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.status().context("git does not start")?.success())
}
