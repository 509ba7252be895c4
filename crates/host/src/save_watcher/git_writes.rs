//! Finds files that git has written: a checkout, a merge or a stash is not a save of a person.
//!
//! At the end of its work, git stores the size and the time of every written file in its index. So a file
//! that matches the index was written by git, or has not changed. No git is run for this.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use alongside_lsp::repository;
use alongside_platform::paths;
use alongside_platform::untrusted::{self, Whose};

/// The largest index that is read, in bytes: some hundred thousand files. Reading a larger one would take too
/// long.
const MAX_INDEX: u64 = 32 << 20;
/// The largest file that names the directory of a repository, in bytes.
const MAX_LINE: u64 = 4 << 10;
/// The size of the fields of an entry before its hash, in bytes: times, device, mode, owner and size.
const HASH_OFFSET: usize = 40;
/// The lengths of hashes, in bytes: SHA-1 and SHA-256.
const HASH_LENGTHS: [usize; 2] = [20, 32];
/// The flag of an entry with two further bytes of flags.
const IS_EXTENDED: u16 = 1 << 14;
/// The bits with the side of a merge conflict. Git has written no file for such an entry.
const STAGE_MASK: u16 = 3 << 12;

/// Whether git is at work in the repository of one of these files. Git writes its index last.
pub(super) fn is_at_work(files: &BTreeSet<PathBuf>) -> bool {
    let directories: BTreeSet<_> = files.iter().filter_map(|file| Some(repository_of(file)?.1)).collect();
    directories.iter().any(|directory| directory.join("index.lock").exists())
}

/// Returns the files that are as git has written them.
pub(super) fn written(files: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut by_repository: BTreeMap<_, BTreeMap<Vec<u8>, &PathBuf>> = BTreeMap::new();
    for file in files {
        if let Some((top, directory)) = repository_of(file)
            && let Ok(below) = file.strip_prefix(&top)
        {
            let below = paths::to_bytes(below);
            by_repository.entry(directory).or_default().insert(below, file);
        }
    }
    let mut written = BTreeSet::new();
    for (directory, wanted) in by_repository {
        let Ok(index) = untrusted::read(&directory.join("index"), MAX_INDEX, Whose::Anybodys) else {
            continue;
        };
        for hash in HASH_LENGTHS {
            let mut entries = Entries::of(&index, hash);
            while let Some(seen) = entries.as_mut().and_then(Entries::next) {
                let file = entries.as_ref().and_then(|entries| wanted.get(&entries.path));
                if let Some(file) = file
                    && file.symlink_metadata().is_ok_and(|found| seen.is_of(&found))
                {
                    written.insert((*file).clone());
                }
            }
        }
    }
    written
}

/// Returns the top of the working tree of a file, and the directory with its index.
fn repository_of(file: &Path) -> Option<(PathBuf, PathBuf)> {
    let top = repository(file.parent()?)?;
    let named = top.join(".git");
    if named.is_dir() {
        return Some((top.to_owned(), named));
    }
    let line = untrusted::read_text(&named, MAX_LINE, Whose::Anybodys).ok()?;
    let directory = top.join(line.trim_end().strip_prefix("gitdir:")?.trim_start());
    Some((top.to_owned(), directory))
}

/// The state of a file in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IndexedFile {
    /// The modification time, since the Unix epoch.
    modified: Duration,
    /// The low 32 bits of its size.
    size: u32,
    is_conflict: bool,
}

impl IndexedFile {
    fn is_of(&self, found: &Metadata) -> bool {
        let modified = found.modified().ok().and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        // Some versions of git store only whole seconds.
        let is_whole = self.modified.subsec_nanos() == 0;
        let is_then = modified.is_some_and(|at| match is_whole {
            true => at.as_secs() == self.modified.as_secs(),
            false => at == self.modified,
        });
        is_then && !self.is_conflict && found.len() & u64::from(u32::MAX) == u64::from(self.size)
    }
}

/// An iterator over the entries of an index.
struct Entries<'i> {
    rest: &'i [u8],
    version: u32,
    left: u32,
    hash: usize,
    /// The path of the entry that was read last.
    path: Vec<u8>,
}

impl<'i> Entries<'i> {
    /// Creates the iterator; `None` if the format of the index is unknown.
    fn of(index: &'i [u8], hash: usize) -> Option<Self> {
        let rest = index.strip_prefix(b"DIRC")?;
        let (version, left) = (number(rest, 0)?, number(rest, 4)?);
        let is_known = (2..=4).contains(&version);
        is_known.then_some(Self { rest: rest.get(8..)?, version, left, hash, path: Vec::new() })
    }

    fn next(&mut self) -> Option<IndexedFile> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.rest;
        let flags = entry.get(HASH_OFFSET + self.hash..)?;
        let flags = u16::from_be_bytes(flags.first_chunk().copied()?);
        let more = if flags & IS_EXTENDED != 0 { 2 } else { 0 };
        let head = HASH_OFFSET + self.hash + 2 + more;
        let mut name = entry.get(head..)?;
        if self.version == 4 {
            let (cut, rest) = prefix(name)?;
            self.path.truncate(self.path.len().checked_sub(cut)?);
            name = rest;
        } else {
            self.path.clear();
        }
        let end = name.iter().position(|byte| *byte == 0)?;
        self.path.extend_from_slice(&name[..end]);
        let used = entry.len() - name.len() + end + 1;
        // In older versions, entries are padded to a multiple of eight bytes, from the first NUL on.
        let used = if self.version == 4 { used } else { used.next_multiple_of(8) };
        self.rest = entry.get(used..)?;
        Some(IndexedFile {
            modified: Duration::new(number(entry, 8)?.into(), number(entry, 12)?.min(999_999_999)),
            size: number(entry, 36)?,
            is_conflict: flags & STAGE_MASK != 0,
        })
    }
}

/// Parses the number of bytes to remove from the end of the previous path, as version 4 encodes it. Returns
/// the remainder.
fn prefix(text: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (at, byte) in text.iter().enumerate().take(4) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, &text[at + 1..]));
        }
        value += 1;
    }
    None
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use alongside_platform::paths::Canonical as _;

    /// Runs git in a directory. Returns `None` without git.
    fn git(directory: &Path, args: &[&str]) -> Option<()> {
        let mut git = Command::new("git");
        git.current_dir(directory).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        let output = git.output().ok()?;
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        Some(())
    }

    #[test]
    fn files_written_by_git_are_found_in_every_form_of_the_index() {
        for format in ["--object-format=sha1", "--object-format=sha256"] {
            let directory = tempfile::tempdir().unwrap();
            let top = directory.path().canonical().unwrap();
            let file = |name: &str| top.join(name);
            if git(&top, &["init", "--quiet", format]).is_none() {
                return alongside_testing::skip("there is no git here");
            }
            std::fs::create_dir(file("src")).unwrap();
            for name in ["a.rs", "src/b.rs", "src/bb.rs", "new.rs"] {
                std::fs::write(file(name), "one\n").unwrap();
            }
            git(&top, &["add", "a.rs", "src"]);
            git(&top, &["commit", "--quiet", "--message=one"]);
            for version in ["2", "3", "4"] {
                git(&top, &["update-index", "--index-version", version]);
                for name in ["a.rs", "src/b.rs", "src/bb.rs"] {
                    std::fs::write(file(name), "mine\n").unwrap();
                }
                let all = ["a.rs", "src/b.rs", "src/bb.rs", "new.rs"].map(file);
                assert_eq!(written(&all.clone().into()), BTreeSet::new(), "a person saved them");
                git(&top, &["checkout", "--quiet", "--", "src"]);
                let found = written(&all.into());
                assert_eq!(found, [file("src/b.rs"), file("src/bb.rs")].into(), "{format} {version}");
            }
            let one = BTreeSet::from([file("a.rs")]);
            assert!(!is_at_work(&one));
            std::fs::write(file(".git/index.lock"), "").unwrap();
            assert!(is_at_work(&one));
        }
    }

    #[test]
    fn with_a_broken_index_no_file_counts_as_written_by_git() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.rs");
        std::fs::write(&file, "one\n").unwrap();
        std::fs::create_dir(directory.path().join(".git")).unwrap();
        let head = b"DIRC\0\0\0\x02\0\0\0\x09".to_vec();
        for rest in [vec![], vec![0; 61], vec![0xff; 200], vec![0; 4000]] {
            std::fs::write(directory.path().join(".git/index"), [head.clone(), rest].concat()).unwrap();
            assert_eq!(written(&[file.clone()].into()), BTreeSet::new());
        }
    }
}
