//! Asks git for the files that differ between two trees of our repository, and reads its answers.

use std::collections::{HashMap, HashSet};

use crate::error::Error;
use crate::git::Git;

/// The limit of git's search for renames: above this number of new files times deleted files, git finds only
/// renames of unchanged files.
const RENAME_LIMIT: &str = "-l400";

/// A side of a difference: the file mode as git writes it, and the object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) mode: String,
    pub(crate) object: String,
}

impl Side {
    /// Whether there is a file on this side.
    pub(crate) fn exists(&self) -> bool {
        self.mode.bytes().any(|digit| digit != b'0')
    }

    /// Returns the kind of file that the mode stands for.
    pub(crate) fn kind(&self) -> SideKind {
        match &*self.mode {
            "100755" => SideKind::Program,
            "120000" => SideKind::Link,
            "160000" => SideKind::Repository,
            _ if self.exists() => SideKind::File,
            _ => SideKind::Nothing,
        }
    }
}

/// The kind of a side of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SideKind {
    Nothing,
    File,
    /// A file that can be executed.
    Program,
    Link,
    Repository,
}

/// A file that differs between the two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) path: Vec<u8>,
    /// The path before, if it was renamed.
    pub(crate) from: Option<Vec<u8>>,
    pub(crate) before: Side,
    pub(crate) now: Side,
    pub(crate) lines: LineCounts,
}

/// The number of lines that differ, if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineCounts {
    /// The numbers of added and removed lines.
    Counted { added: usize, removed: usize },
    /// The file is binary.
    Binary,
    /// Git no longer has one of the two texts.
    Lost,
}

/// Lists every file that differs between two trees, with renames, sorted by path.
///
/// # Errors
/// When git fails: an object is missing, or the deadline has passed.
pub(crate) fn differences(git: &Git, before: &str, now: &str) -> Result<Vec<Difference>, Error> {
    if before == now {
        return Ok(Vec::new());
    }
    counted(git, &["--numstat", "-M", RENAME_LIMIT], before, now)
}

/// Replaces each rename for which `is_false` holds by a deletion and a new file.
///
/// # Errors
/// As [`differences`].
pub(crate) fn split_renames(
    git: &Git,
    (before, now): (&str, &str),
    differences: Vec<Difference>,
    is_false: impl Fn(&Difference) -> bool,
) -> Result<Vec<Difference>, Error> {
    let is_split = |it: &Difference| it.from.is_some() && is_false(it);
    let (split, mut all): (Vec<_>, Vec<_>) = differences.into_iter().partition(is_split);
    if split.is_empty() {
        return Ok(all);
    }
    let paths: HashSet<Vec<u8>> =
        split.into_iter().flat_map(|it| [Some(it.path), it.from]).flatten().collect();
    let found = counted(git, &["--numstat", "--no-renames"], before, now)?;
    all.extend(found.into_iter().filter(|it| paths.contains(&it.path)));
    all.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(all)
}

fn counted(git: &Git, how: &[&str], before: &str, now: &str) -> Result<Vec<Difference>, Error> {
    match run(git, how, before, now) {
        // The project may have removed some texts since, or may be a partial clone that never had them.
        Err(Error::Other(_)) => {
            let mut found = plain(git, before, now)?;
            mark_lost(git, &mut found)?;
            Ok(found)
        }
        found => found,
    }
}

/// Lists every file that differs between two trees, without renames and line counts, so that git reads no
/// text.
///
/// # Errors
/// As [`differences`].
pub(crate) fn plain(git: &Git, before: &str, now: &str) -> Result<Vec<Difference>, Error> {
    run(git, &["--no-renames"], before, now)
}

fn run(git: &Git, how: &[&str], before: &str, now: &str) -> Result<Vec<Difference>, Error> {
    let args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv"];
    let args = args.into_iter().chain(how.iter().copied()).chain(["--end-of-options", before, now]);
    let output = git.run(args, None)?;
    parse(&output).ok_or_else(|| Error::other("git lists changes otherwise"))
}

/// Marks the differences for which the repository lacks one of the two texts.
fn mark_lost(git: &Git, differences: &mut [Difference]) -> Result<(), Error> {
    let sides = |difference: &Difference| {
        let sides = [&difference.before, &difference.now].into_iter();
        sides.filter(|side| side.exists() && side.kind() != SideKind::Repository).cloned().collect::<Vec<_>>()
    };
    let wanted: String = differences.iter().flat_map(sides).map(|side| side.object + "\n").collect();
    let output = git.run(["cat-file", "--buffer", "--batch-check"], Some(wanted.into_bytes()))?;
    let output = String::from_utf8_lossy(&output).into_owned();
    let missing: HashSet<&str> = output.lines().filter_map(|line| line.strip_suffix(" missing")).collect();
    for difference in differences {
        if sides(difference).iter().any(|side| missing.contains(&*side.object)) {
            difference.lines = LineCounts::Lost;
        }
    }
    Ok(())
}

/// Lists, for each pair of trees, the paths that differ between them, without renames.
///
/// # Errors
/// As [`differences`].
pub(crate) fn paths(git: &Git, pairs: &[(&str, &str)]) -> Result<Vec<Vec<Vec<u8>>>, Error> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let input: String = pairs.iter().map(|(before, now)| format!("{before} {now}\n")).collect();
    let args = ["diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-renames"];
    let output = git.run(args, Some(input.clone().into_bytes()))?;
    let mut rest = output.as_slice();
    let mut all = Vec::new();
    for (at, line) in input.lines().enumerate() {
        let head = [line.as_bytes(), b"\n"].concat();
        // Git prints nothing for two trees that are equal.
        let Some(after) = rest.strip_prefix(head.as_slice()) else {
            all.push(Vec::new());
            continue;
        };
        rest = after;
        let next = pairs.get(at + 1..).unwrap_or_default();
        let mut found = Vec::new();
        while !rest.is_empty() && !next.iter().any(|(before, now)| begins(rest, before, now)) {
            let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
            found.push(rest[..end].to_vec());
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        all.push(found);
    }
    Ok(all)
}

/// Whether a text begins with the line that git prints before the paths of this pair. No path looks like it.
fn begins(text: &[u8], before: &str, now: &str) -> bool {
    let after = text.strip_prefix(before.as_bytes()).and_then(|text| text.strip_prefix(b" "));
    after.and_then(|text| text.strip_prefix(now.as_bytes())).is_some_and(|text| text.first() == Some(&b'\n'))
}

/// Parses git's output: for each file `:MODE MODE OBJECT OBJECT STATUS\0PATH\0[PATH\0]`, and after all of
/// these entries, for each file again, `ADDED\tREMOVED\tPATH\0`. A renamed file has an empty path there,
/// followed by both paths.
fn parse(output: &[u8]) -> Option<Vec<Difference>> {
    let mut fields = output.split(|byte| *byte == 0).peekable();
    let mut found = Vec::new();
    while let Some(head) = fields.next_if(|field| field.first() == Some(&b':')) {
        let head: Vec<&str> = std::str::from_utf8(head.get(1..)?).ok()?.split(' ').collect();
        let [mode_before, mode_now, before, now, status] = head[..] else { return None };
        let first = fields.next()?.to_vec();
        let (from, path) = match status.starts_with(['R', 'C']) {
            true => (Some(first), fields.next()?.to_vec()),
            false => (None, first),
        };
        let side = |mode: &str, object: &str| Side { mode: mode.into(), object: object.into() };
        let (before, now) = (side(mode_before, before), side(mode_now, now));
        let lines = LineCounts::Counted { added: 0, removed: 0 };
        found.push(Difference { path, from, before, now, lines });
    }
    let mut counts = HashMap::new();
    while let Some(field) = fields.next_if(|field| !field.is_empty()) {
        let mut parts = field.splitn(3, |byte| *byte == b'\t');
        let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
        let path = match path.is_empty() {
            true => {
                fields.next()?;
                fields.next()?
            }
            false => path,
        };
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<usize>().ok();
        let lines = match number(added).zip(number(removed)) {
            Some((added, removed)) => LineCounts::Counted { added, removed },
            None => LineCounts::Binary,
        };
        counts.insert(path.to_vec(), lines);
    }
    for difference in &mut found {
        // Git counts no lines of a file of which only the mode differs.
        difference.lines = counts.get(&difference.path).copied().unwrap_or(difference.lines);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_binary_files_and_strange_names_are_read() {
        let output = b":100644 100755 aa bb M\0a\nb\0:100644 100644 cc dd R090\0:old\0new\t\0\
            :000000 120000 00 ee A\0l\0\x31\t2\ta\nb\0-\t-\t\0:old\0new\t\0";
        let found = parse(output).unwrap();
        assert_eq!(
            (&*found[0].path, found[0].lines),
            (b"a\nb".as_slice(), LineCounts::Counted { added: 1, removed: 2 })
        );
        assert_eq!(found[0].now.kind(), SideKind::Program);
        assert_eq!(
            (found[1].from.as_deref(), found[1].lines),
            (Some(b":old".as_slice()), LineCounts::Binary)
        );
        assert_eq!((found[2].before.kind(), found[2].now.kind()), (SideKind::Nothing, SideKind::Link));
        assert_eq!(found[2].lines, LineCounts::Counted { added: 0, removed: 0 });
        assert_eq!(parse(b"").unwrap(), []);
    }
}
