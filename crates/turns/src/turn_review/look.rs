//! A look: compares a working tree with its baseline, or with a revision, and lists the files that differ.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use alongside_companion::turns::source::{Feedback, FoundFile, OpenTurn, TurnLook};
use alongside_desk::{Baseline, harmless};
use alongside_platform::paths;

use crate::comments::answered_comments::written_again;
use crate::comments::comment_list::feedback;
use crate::comments::compaction::compact_large;
use crate::comments::file_texts::FileTexts;
use crate::error::Error;
use crate::git::tree_diff::{self, Difference};
use crate::sessions::open_turns::open_turns;
use crate::snapshots::compared_trees::{ComparedTrees, baseline};
use crate::snapshots::left_out_files;
use crate::snapshots::project_index::{ProjectIndex, staged_paths};
use crate::snapshots::tree_access::TreeAccess;
use crate::store::comment_state::Comments;
use crate::store::turn_log::{Kind, Record};
use crate::turn_review::accepted_changes::is_all_accepted;
use crate::turn_review::authors::{self, Authors};
use crate::turn_review::changed_files::ChangedFiles;
use crate::turn_review::notes::{self, Note, NoteKind};

/// The number of digits of an abbreviated commit.
const ABBREVIATED_DIGITS: usize = 7;

/// Compares the working tree with the revision `since`. Without a revision, compares with the baseline, and
/// without a baseline with the last commit.
///
/// # Errors
/// When git fails, a file cannot be read or written, or the deadline passes.
pub(crate) fn look(access: &TreeAccess, since: Option<&str>) -> Result<TurnLook, Error> {
    let log = access.store.log().read()?;
    let at = alongside_desk::now_ms();
    let mut taken = access.take_look_snapshot()?;
    let start = match (since, baseline(&log)) {
        (Some(revision), _) => Start::of_revision(access, revision)?,
        (None, Some(place)) => Start::of_record(&log, place),
        (None, None) => Start::of_head(access)?,
    };
    let differences = tree_diff::differences(&access.git, &start.tree, &taken.tree)?;
    let record = start.record.and_then(|place| log.get(place));
    let before = record.map(|record| left_out_files::read(&access.store, record.left.as_deref()));
    let gone = differences.iter().filter(|it| !it.now.exists()).map(|it| &*it.path);
    let gone = gone.chain(differences.iter().filter_map(|it| it.from.as_deref()));
    let special = before.iter().flatten().filter(|(_, left)| left.why == left_out_files::Why::Special);
    let special = special.map(|(path, _)| &**path);
    left_out_files::add_special(&access.tree.top, gone.chain(special), &mut taken.left);
    // A snapshot does not hold this path, but there is or was a file: git reports a rename that did not
    // happen.
    let is_taken = |it: &Difference| {
        let was_left_out = before.as_ref().is_some_and(|before| before.contains_key(&it.path));
        was_left_out || it.from.as_ref().is_some_and(|from| taken.left.contains_key(from))
    };
    let trees = (&*start.tree, &*taken.tree);
    let differences = tree_diff::split_renames(&access.git, trees, differences, is_taken)?;
    let left = left_out_files::keep(&access.store, &taken.left)?;
    let state = ComparedTrees { before: start.tree.clone(), now: taken.tree.clone(), left, at };
    let mut remarks = Vec::new();
    let authors = match start.record {
        Some(place) => Authors::since(access, &log, place, &state.now)?,
        None => Authors::unknown(),
    };
    let mut changes = ChangedFiles::of_trees(&differences, &authors);
    changes.add_left_out(&access.tree.top, before.as_ref(), &taken.left, &authors);
    match record {
        Some(record) => {
            let since = SystemTime::UNIX_EPOCH + Duration::from_millis(record.at);
            let mut unseen = changes.add_nested(access, &taken.left, since, &authors);
            unseen += changes.add_ignored(access, since, &authors)?;
            if unseen > 0 {
                remarks.push(format!(
                    "{unseen} ignored or nested directories are too large to be looked through."
                ));
            }
            remarks.extend(checkout_change(access, record));
        }
        None => {
            let index = ProjectIndex::read(access)?;
            changes.forget_unchanged(&differences, &index, &taken.left);
            if taken.left.values().any(|left| left.why == left_out_files::Why::Repository) {
                remarks.push("Uncommitted changes inside nested repositories are not shown.".to_owned());
            }
        }
    }
    let at_work = open_turns(&log);
    if since.is_none() {
        remarks.extend(gap_remarks(&log, start.record, &at_work));
    }
    let mut files = changes.files();
    mark_staged(access, &mut files);
    let since_at = start.at.unwrap_or_default();
    mark_notes(&notes::read(&access.store), &differences, since_at, &mut files);
    if let Err(fault) = compact_large(&access.store, access.git.until()) {
        tracing::warn!(%fault, "a large log of comments stays as it is");
    }
    let feedback = match access.store.comments().read() {
        Ok(comments) => {
            let mut texts = FileTexts::of_look(access, Some(&state.before), &files);
            remarks.extend(written_again(&comments, &log, &state.now, &mut texts));
            let feedback = feedback(&access.store, &comments, &log, &mut texts);
            mark_known(access, &comments, &state, &mut files);
            feedback
        }
        // The list of changes does not need the comments.
        Err(error) => {
            remarks.push(format!("The comments cannot be read: {}.", Error::from(error)));
            Feedback::default()
        }
    };
    files.sort_by_key(|file| (file.told.known, file.told.accepted));
    Ok(TurnLook {
        root: access.tree.top.clone(),
        snapshot: state.name(),
        baseline: Baseline { asked: since.map(str::to_owned), name: start.name, at: start.shown_at },
        files,
        remarks,
        feedback,
        at_work,
    })
}

/// Marks the files that have not changed since the last round as known. If the baseline is the tree of that
/// round, no file is marked: all of them have changed since.
fn mark_known(access: &TreeAccess, comments: &Comments, state: &ComparedTrees, files: &mut [FoundFile]) {
    let Some(trees) = comments.rounds.last().and_then(|round| round.trees.as_ref()) else { return };
    if trees.sent == state.before {
        return;
    }
    // Git may have dropped the tree of the round. Then no file is marked.
    let Ok(since) = tree_diff::plain(&access.git, &trees.sent, &state.now) else { return };
    let new: BTreeSet<&[u8]> = since.iter().map(|difference| &*difference.path).collect();
    for file in &mut *files {
        let path = paths::to_bytes(&file.path);
        // A file that snapshots leave out may have changed since the round.
        let is_held = file.told.without_text.is_none();
        file.told.known = is_held && !new.contains(&*path);
    }
}

/// Marks the renamed files whose new names are in git's index; all of them if the index cannot be read.
fn mark_staged(access: &TreeAccess, files: &mut [FoundFile]) {
    let mut renamed = files.iter_mut().filter(|file| file.from.is_some()).peekable();
    // Most turns rename no file. Then git is not started.
    let staged = renamed.peek().and_then(|_| staged_paths(access));
    for file in renamed {
        let path = paths::to_bytes(&file.path);
        file.told.staged = staged.as_ref().is_none_or(|staged| staged.contains(&path));
    }
}

/// Marks the files whose whole change the person accepted before the agent wrote it, and the files that the
/// person has saved in an editor since `since`, in milliseconds since the Unix epoch.
fn mark_notes(notes: &[Note], differences: &[Difference], since: u64, files: &mut [FoundFile]) {
    if notes.is_empty() {
        return;
    }
    let saved = notes.iter().filter(|note| note.at >= since && note.kind == NoteKind::Saved);
    let saved: BTreeSet<Vec<u8>> = saved.map(Note::path).collect();
    let accepted = differences.iter().filter(|difference| is_all_accepted(notes, difference));
    let accepted: BTreeSet<&[u8]> = accepted.map(|difference| &*difference.path).collect();
    for file in files {
        let path = paths::to_bytes(&file.path);
        file.told.saved = saved.contains(&path);
        file.told.accepted = file.told.without_text.is_none() && accepted.contains(&*path);
    }
}

/// The state with which a look compares the working tree.
struct Start {
    tree: String,
    name: String,
    /// The time at which the snapshot was begun, in milliseconds since the Unix epoch; `None` for a commit.
    at: Option<u64>,
    /// The time that the person reads: for a finish, the time of finishing, which is after the snapshot.
    shown_at: Option<u64>,
    /// The index of the snapshot in the log; `None` for a commit.
    record: Option<usize>,
}

impl Start {
    fn of_record(log: &[Record], place: usize) -> Self {
        let shown_at = log.get(place).map(|record| record.finished.unwrap_or(record.at));
        let (tree, name, at) = match log.get(place) {
            Some(record) => {
                let name = match record.kind {
                    Kind::Finish => "the end of your last review".to_owned(),
                    _ if record.agent.is_empty() => "the first prompt".to_owned(),
                    _ => format!("the first prompt to {}", harmless::name(&record.agent)),
                };
                (record.tree.clone().unwrap_or_default(), name, Some(record.at))
            }
            None => (String::new(), String::new(), None),
        };
        Self { tree, name, at, shown_at, record: Some(place) }
    }

    fn of_revision(access: &TreeAccess, revision: &str) -> Result<Self, Error> {
        let unknown = || Error::other(format!("git knows no revision {revision} here"));
        let tree = access.tree_of(revision).ok_or_else(unknown)?;
        let name = match access.commit(revision) {
            Some(commit) => format!("the commit {}", abbreviate(&commit)),
            None => format!("the tree {}", abbreviate(&tree)),
        };
        Ok(Self { tree, name, at: None, shown_at: None, record: None })
    }

    fn of_head(access: &TreeAccess) -> Result<Self, Error> {
        if access.tree.repository.is_none() {
            return Err("no turn has left a baseline here, and there is no Git repository".into());
        }
        match Self::of_revision(access, "HEAD") {
            Ok(start) => Ok(start),
            Err(_) => {
                let (tree, name) = (access.empty_tree()?, "the repository without a commit".to_owned());
                Ok(Self { tree, name, at: None, shown_at: None, record: None })
            }
        }
    }
}

/// Returns a remark if another branch or commit is checked out than at the baseline.
fn checkout_change(access: &TreeAccess, record: &Record) -> Option<String> {
    let head = access.head();
    let branch = access.tree.repository.as_ref().and_then(|repository| repository.branch());
    let name = |branch: &Option<String>| match branch {
        Some(branch) => harmless::name(branch.strip_prefix("refs/heads/").unwrap_or(branch)).into_owned(),
        None => "no branch".to_owned(),
    };
    if record.branch != branch {
        let (before, now) = (name(&record.branch), name(&branch));
        return Some(format!("The branch has changed since the baseline: it was {before} and is {now}."));
    }
    let shown = |head: &Option<String>| head.as_deref().map_or("no commit", abbreviate).to_owned();
    (record.head != head).then(|| {
        let (before, now) = (shown(&record.head), shown(&head));
        format!("The commit has changed since the baseline: it was {before} and is {now}.")
    })
}

/// Returns remarks on prompts and ends that the log lacks. An agent that is known to be at work gets no
/// remark: desks show in another way that it works.
fn gap_remarks(log: &[Record], baseline: Option<usize>, at_work: &[OpenTurn]) -> Vec<String> {
    let since = baseline.unwrap_or(0);
    let all = authors::without_end(log, since).into_iter();
    let all = all.map(|(agent, goes_on)| (harmless::name(agent), goes_on));
    let is_news = |(agent, goes_on): &(Cow<'_, str>, bool)| {
        !goes_on || !at_work.iter().any(|open| open.told.agent == *agent)
    };
    let without_end = all.filter(is_news).map(|(agent, goes_on)| {
        match goes_on {
            // No event reports Esc before the next prompt, nor the rejection of a diff in Qwen Code.
            true => format!(
                "A turn of {agent} has no end yet: it goes on, or was stopped. Your own changes since its \
                 prompt count as the agent's."
            ),
            false => format!(
                "A turn of {agent} has no end: its changes and yours since then cannot be told apart."
            ),
        }
    });
    let is_missing = |record: &&Record| record.kind == Kind::Prompt && record.tree.is_none();
    let missing: BTreeSet<String> = log.iter().skip(since).filter(is_missing).map(missing_prompt).collect();
    without_end.chain(missing).collect()
}

fn missing_prompt(record: &Record) -> String {
    let why = record.why.as_deref().unwrap_or("it was not recorded");
    format!(
        "The beginning of a turn of {} is missing: {}.",
        harmless::name(&record.agent),
        harmless::name(why)
    )
}

fn abbreviate(commit: &str) -> &str {
    commit.get(..ABBREVIATED_DIGITS).unwrap_or(commit)
}
