//! A person's marks: sets marks at random, and reads the marks of a list.

use std::collections::BTreeMap;

use alongside_desk::{FileChange, HunkState, Lines, Marked, Refusal, Review, TurnFile};
use anyhow::{Context as _, Result, ensure};

use super::desk::Desk;
use super::tree::{Entry, Name, Tree};
use crate::rng::Rng;

/// The decision on a marked file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// The whole file is restored to its state at the baseline.
    Whole,
    /// Some hunks are restored: `shown` is the text on disk that the person was shown, `result` the restored
    /// text.
    Text { shown: String, result: String },
}

/// A marked file of the list.
#[derive(Debug, Clone)]
pub(super) struct MarkedFile {
    /// The entry in the list.
    pub(super) file: TurnFile,
    pub(super) path: Name,
    pub(super) from: Option<Name>,
    pub(super) decision: Decision,
}

/// The names of files by their text in a list.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, Name>);

impl Names {
    /// Collects the names in the baseline's snapshot, on disk, and among the baseline's other files.
    pub(super) fn of(baseline: &BTreeMap<Name, Entry>, now: &Tree, others: &BTreeMap<Name, Entry>) -> Self {
        let all = baseline.keys().chain(now.entries.keys()).chain(others.keys());
        Self(all.map(|name| (String::from_utf8_lossy(name).into_owned(), name.clone())).collect())
    }

    /// Returns the name of an entry in the list. An ignored directory is one entry.
    pub(super) fn get(&self, listed: &str) -> Name {
        self.0.get(listed).cloned().unwrap_or_else(|| listed.as_bytes().to_vec())
    }
}

/// Marks some files and hunks of the list at random. Compares the texts of opened files with the baseline and
/// with the files on disk.
pub(super) async fn mark(
    desk: &mut Desk,
    seed: u64,
    names: &Names,
    baseline: &BTreeMap<Name, Entry>,
    now: &Tree,
) -> Result<()> {
    let mut rng = Rng::new(seed);
    // The percentage of files marked as a whole, and of files with marked hunks.
    let (whole, hunks) = [(100, 0), (25, 50), (25, 50), (0, 100)][rng.index(4)];
    for file in desk.turn()?.files.clone() {
        let path = &file.path;
        match rng.below(100) {
            // The store lacks the earlier text of this file.
            drawn if drawn < whole && file.without_undo => {
                ensure!(desk.mark(path, true).await.is_err(), "{path} takes no mark");
            }
            drawn if drawn < whole => {
                desk.mark(path, true).await?;
                ensure!(mark_of(desk, path)? == Marked::Whole, "{path} is marked");
                if rng.percent(10) {
                    desk.mark(path, false).await?;
                    ensure!(mark_of(desk, path)?.is_nothing(), "{path} is marked no more");
                }
            }
            drawn if drawn < whole + hunks => match desk.open(path).await? {
                Ok(review) => {
                    let (name, earlier) = (names.get(path), file.from.as_ref().map(|from| names.get(from)));
                    let before = baseline.get(earlier.as_ref().unwrap_or(&name));
                    check_texts(&review, before, now.entries.get(&name)).with_context(|| path.clone())?;
                    mark_hunks(desk, &mut rng, &file).await.with_context(|| path.clone())?;
                }
                Err(Refusal::WholeFileOnly { .. }) => {
                    ensure!(
                        file.without_text.is_some() || is_no_text(baseline, now, names, &file),
                        "{path} has texts"
                    );
                }
                Err(refusal) => anyhow::bail!("{path} cannot be opened: {refusal:?}"),
            },
            _ => {}
        }
    }
    Ok(())
}

/// Whether a file that git takes for text is not text for alongside.
fn is_no_text(baseline: &BTreeMap<Name, Entry>, now: &Tree, names: &Names, file: &TurnFile) -> bool {
    let (name, earlier) = (names.get(&file.path), file.from.as_ref().map(|from| names.get(from)));
    let both = [baseline.get(earlier.as_ref().unwrap_or(&name)), now.entries.get(&name)];
    both.into_iter().flatten().any(|entry| match entry {
        Entry::File { bytes, .. } => bytes.contains(&0) || std::str::from_utf8(bytes).is_err(),
        Entry::Link { .. } | Entry::Pipe => true,
    })
}

fn check_texts(review: &Review, before: Option<&Entry>, now: Option<&Entry>) -> Result<()> {
    let bytes = |entry: Option<&Entry>| match entry {
        Some(Entry::File { bytes, .. }) => Some(bytes.clone()),
        _ => None,
    };
    ensure!(
        review.original.as_ref().map(|text| text.as_bytes().to_vec()) == bytes(before),
        "another original"
    );
    ensure!(review.proposed.as_bytes() == bytes(now).unwrap_or_default(), "another text");
    Ok(())
}

async fn mark_hunks(desk: &mut Desk, rng: &mut Rng, file: &TurnFile) -> Result<()> {
    let path = &file.path;
    let count = |desk: &Desk| desk.text(path).map_or(0, |review| review.hunks.len());
    if count(desk) > 0 && rng.percent(30) && file.change != FileChange::Deleted {
        desk.split(path, rng.index(count(desk))).await?;
    }
    let all = rng.percent(25);
    let hunks: Vec<usize> = (0..count(desk)).filter(|_| all || rng.percent(50)).collect();
    if hunks.is_empty() {
        return Ok(());
    }
    desk.keep(path, hunks.clone(), false).await?;
    if rng.percent(20) {
        desk.undo_and_redo(path).await?;
    }
    if rng.percent(20) {
        desk.keep(path, vec![hunks[rng.index(hunks.len())]], true).await?;
    }
    let review = desk.text(path).with_context(|| format!("{path} is not open"))?;
    let dropped = review.hunks.iter().filter(|hunk| hunk.state == HunkState::Dropped).count();
    let expected = match dropped {
        0 => Marked::Nothing,
        all if all == review.hunks.len() && file.change != FileChange::Renamed => Marked::Whole,
        some => Marked::Hunks(some),
    };
    let listed = mark_of(desk, path)?;
    // The file may have been marked as a whole before, together with its renaming.
    let includes_renaming = listed == Marked::Whole && dropped == review.hunks.len();
    ensure!(listed == expected || includes_renaming, "{expected:?} of {path}: {listed:?}");
    Ok(())
}

fn mark_of(desk: &Desk, path: &str) -> Result<Marked> {
    let file = desk.turn()?.files.iter().find(|file| file.path == path);
    Ok(file.with_context(|| format!("{path} is not in the list"))?.marked)
}

/// Reads the marks from the list and from the open texts. A finish must carry out exactly these.
pub(super) fn decisions(desk: &Desk, names: &Names) -> Result<Vec<MarkedFile>> {
    let marked = desk.turn()?.files.iter().filter(|file| !file.marked.is_nothing());
    let decided = marked.map(|file| {
        let decision = match file.marked {
            Marked::Hunks(count) => {
                let review = desk.text(&file.path).context("a file with marked hunks is not open")?;
                let result = composed(review);
                ensure!(result == *review.current, "{:?} is wanted, and {:?} told", result, review.current);
                let dropped = review.hunks.iter().filter(|hunk| hunk.state == HunkState::Dropped).count();
                ensure!(dropped == count, "{dropped} of {count} marks");
                Decision::Text { shown: review.proposed.to_string(), result }
            }
            _ => Decision::Whole,
        };
        let (path, from) = (names.get(&file.path), file.from.as_ref().map(|from| names.get(from)));
        Ok(MarkedFile { file: file.clone(), path, from, decision })
    });
    decided.collect()
}

/// Returns the text on disk with the original lines in the dropped hunks.
fn composed(review: &Review) -> String {
    let original: Vec<&str> = review.original.as_deref().unwrap_or_default().split_inclusive('\n').collect();
    let proposed: Vec<&str> = review.proposed.split_inclusive('\n').collect();
    let (mut text, mut end) = (String::new(), 0);
    let joined = |lines: &[&str], range: Lines| lines[range.start..range.end].concat();
    for hunk in &review.hunks {
        text.push_str(&proposed[end..hunk.proposed.start].concat());
        text.push_str(&match hunk.state {
            HunkState::Dropped => joined(&original, hunk.original),
            _ => joined(&proposed, hunk.proposed),
        });
        end = hunk.proposed.end;
    }
    text + &proposed[end..].concat()
}
