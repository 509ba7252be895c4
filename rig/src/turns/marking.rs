//! A person's marks: at random, and as the list tells them.

use std::collections::BTreeMap;

use alongside_desk::{FileChange, HunkState, Lines, Marked, Refusal, Review, TurnFile};
use anyhow::{Context as _, Result, ensure};

use super::desk::Desk;
use super::tree::{Entry, Name, Tree};
use crate::rng::Rng;

/// The fate of a file of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// The file becomes as it was at the baseline.
    Whole,
    /// Some hunks of it do: the text on disk that the person saw, and the text that it becomes.
    Text { shown: String, wanted: String },
}

/// A marked file of the list.
#[derive(Debug, Clone)]
pub(super) struct Decided {
    /// Its row in the list.
    pub(super) file: TurnFile,
    pub(super) path: Name,
    pub(super) from: Option<Name>,
    pub(super) decision: Decision,
}

/// The names of the files of a list, which has them as text.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, Name>);

impl Names {
    /// The names of everything that was at the baseline or is on disk.
    pub(super) fn of(baseline: &BTreeMap<Name, Entry>, now: &Tree, left: &BTreeMap<Name, Entry>) -> Self {
        let all = baseline.keys().chain(now.entries.keys()).chain(left.keys());
        Self(all.map(|name| (String::from_utf8_lossy(name).into_owned(), name.clone())).collect())
    }

    /// The name in a row. An ignored directory is one row.
    pub(super) fn get(&self, listed: &str) -> Name {
        self.0.get(listed).cloned().unwrap_or_else(|| listed.as_bytes().to_vec())
    }
}

/// Marks some of the list, and checks the texts of what it opens with those of the baseline and on disk.
pub(super) async fn mark(
    desk: &mut Desk,
    choice: u64,
    names: &Names,
    baseline: &BTreeMap<Name, Entry>,
    now: &Tree,
) -> Result<()> {
    let mut rng = Rng::new(choice);
    // Sometimes everything, mostly a part.
    let (whole, hunks) = [(100, 0), (25, 50), (25, 50), (0, 100)][rng.index(4)];
    for file in desk.turn()?.files.clone() {
        let path = &file.path;
        match rng.below(100) {
            // The earlier text of this file is not kept.
            chosen if chosen < whole && file.without_undo => {
                ensure!(desk.mark(path, true).await.is_err(), "{path} takes no mark");
            }
            chosen if chosen < whole => {
                desk.mark(path, true).await?;
                ensure!(is_marked(desk, path)? == Marked::Whole, "{path} is marked");
                if rng.percent(10) {
                    desk.mark(path, false).await?;
                    ensure!(is_marked(desk, path)?.is_nothing(), "{path} is marked no more");
                }
            }
            chosen if chosen < whole + hunks => match desk.open(path).await? {
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

/// Whether git takes a file for text that is none for us.
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
    let review = desk.text(path).context("it is open")?;
    let dropped = review.hunks.iter().filter(|hunk| hunk.state == HunkState::Dropped).count();
    let expected = match dropped {
        0 => Marked::Nothing,
        all if all == review.hunks.len() && file.change != FileChange::Renamed => Marked::Whole,
        some => Marked::Hunks(some),
    };
    let listed = is_marked(desk, path)?;
    // The file may have been marked as a whole before, with its new name.
    let is_with_name = listed == Marked::Whole && dropped == review.hunks.len();
    ensure!(listed == expected || is_with_name, "{expected:?} of {path}: {listed:?}");
    Ok(())
}

fn is_marked(desk: &Desk, path: &str) -> Result<Marked> {
    let file = desk.turn()?.files.iter().find(|file| file.path == path);
    Ok(file.context("it is in the list")?.marked)
}

/// The marks, as the list and the open texts tell them: a finish carries out exactly these.
pub(super) fn decisions(desk: &Desk, names: &Names) -> Result<Vec<Decided>> {
    let marked = desk.turn()?.files.iter().filter(|file| !file.marked.is_nothing());
    let decided = marked.map(|file| {
        let decision = match file.marked {
            Marked::Hunks(count) => {
                let review = desk.text(&file.path).context("a file with marked hunks is open")?;
                let wanted = composed(review);
                ensure!(wanted == *review.current, "{:?} is wanted, and {:?} told", wanted, review.current);
                let dropped = review.hunks.iter().filter(|hunk| hunk.state == HunkState::Dropped).count();
                ensure!(dropped == count, "{dropped} of {count} marks");
                Decision::Text { shown: review.proposed.to_string(), wanted }
            }
            _ => Decision::Whole,
        };
        let (path, from) = (names.get(&file.path), file.from.as_ref().map(|from| names.get(from)));
        Ok(Decided { file: file.clone(), path, from, decision })
    });
    decided.collect()
}

/// The text on disk, in which the lines of dropped hunks are those of the original.
fn composed(review: &Review) -> String {
    let original: Vec<&str> = review.original.as_deref().unwrap_or_default().split_inclusive('\n').collect();
    let proposed: Vec<&str> = review.proposed.split_inclusive('\n').collect();
    let (mut text, mut at) = (String::new(), 0);
    let take = |lines: &[&str], range: Lines| lines[range.start..range.end].concat();
    for hunk in &review.hunks {
        text.push_str(&proposed[at..hunk.proposed.start].concat());
        text.push_str(&match hunk.state {
            HunkState::Dropped => take(&original, hunk.original),
            _ => take(&proposed, hunk.proposed),
        });
        at = hunk.proposed.end;
    }
    text + &proposed[at..].concat()
}
