//! The sentences that desks have in common. Everything that came from outside goes through [`harmless`].

use std::path::{Path, PathBuf};

use alongside_contract::agents::AGENTS;

use crate::decision::{Closed, Closing, Follows, Refusal};
use crate::harmless;
use crate::last_word::Word;
use crate::review::{Hunk, HunkState, Limit, Lines, Reasons, Review};
use crate::rules::{ChangeKind, Grant, RuleAcceptance, Scope};
use crate::status::Agent;
use crate::text::Text;

/// The companion stopped while the desk was open.
pub const COMPANION_STOPPED: &str = "The companion has stopped; open reviews are rejected.";

/// The desk ends while its editor is open, and the companion has what the person saved there.
pub const SAVED_TEXT_IN_DRAFTS: &str = "Your saved text is in `alongside drafts`.";

/// The editor ended without a change.
pub const EDITOR_CHANGED_NOTHING: &str = "You changed nothing in the editor.";

/// The review ended after it took what the person had saved, and before the editor ended.
pub const SAVED_BEFORE_THE_END: &str = "The review ended after it took your saved text.";

/// Why the companion refuses a text from the person's editor.
pub const CHANGED_WHILE_EDITED: &str = "another desk changed the review while you edited";

/// Input that was on its way before the person could see what it would act on.
pub const TYPED_TOO_SOON: &str = "Ignored: you typed that before this was on the screen.";

/// There is no review to act on.
pub const NO_REVIEW: &str = "Nothing to review.";

/// An undo was carried out.
pub const UNDONE: &str = "Undone.";

/// A redo was carried out.
pub const REDONE: &str = "Redone.";

/// There is no hunk before this one.
pub const FIRST_CHANGE: &str = "This is the first change.";

/// The file's name for people: relative to the outermost root that contains it, so that a file of a worktree
/// is no namesake of the project's own; behind the root's name if there are several; and with single
/// separators, because some programs open `sftp://host` as a URL.
pub fn file_name(file: &str, roots: &[PathBuf]) -> String {
    let path = Path::new(file);
    let is_outermost = |root: &&PathBuf| roots.iter().all(|other| other == *root || !root.starts_with(other));
    let mut outermost: Vec<&PathBuf> = roots.iter().filter(is_outermost).collect();
    outermost.sort();
    outermost.dedup();
    let within = outermost.iter().find_map(|root| Some((*root, path.strip_prefix(root).ok()?)));
    let shown = match within.filter(|(_, rest)| !rest.as_os_str().is_empty()) {
        Some((_, rest)) if outermost.len() == 1 => rest.to_owned(),
        Some((root, rest)) => {
            let is_namesake = |other: &&&PathBuf| other.file_name() == root.file_name();
            match (root.file_name(), outermost.iter().filter(is_namesake).count()) {
                (Some(name), 1) => Path::new(name).join(rest),
                _ => path.to_owned(),
            }
        }
        None => path.to_owned(),
    };
    harmless::path(&shown.components().collect::<PathBuf>())
}

/// The agent's name for people.
pub fn agent_name(agent: &Agent) -> String {
    if agent.name.trim().is_empty() {
        return format!("agent {}", agent.number);
    }
    harmless::name(&agent.name).into_owned()
}

/// How a review ended. `away`: the agent is not listening.
pub fn closed(review: &Review, closed: &Closed, roots: &[PathBuf], away: bool) -> String {
    let (name, agent) = (file_name(&review.file, roots), agent_name(&review.agent));
    let where_ = match &closed.decided_in {
        _ if closed.decided_here => String::new(),
        Some(desk) => format!(" in {}", harmless::name(desk)),
        None => " at another desk".into(),
    };
    let withdrawn = |why: &str| match review.agent.asks_itself {
        true => format!("{name}: closed, because {why}; {agent} asks you itself."),
        false => format!("{name}: rejected, because {why}."),
    };
    let mut said = match closed.closing {
        Closing::Accepted => {
            format!("{name}: accepted{where_}; {}.", after_yes(review, closed.follows, away))
        }
        Closing::Rejected => format!("{name}: rejected{where_}; {}.", after_no(review, closed.follows, away)),
        Closing::AnsweredInAgent => format!("{name}: answered in {agent}."),
        Closing::Replaced => {
            format!("{name}: replaced by a newer proposal of {agent}.")
        }
        Closing::AgentGone if review.agent.by_hook => {
            format!("{name}: closed, because {agent} has broken off the call.")
        }
        Closing::AgentGone => format!("{name}: closed, because {agent} has left."),
        Closing::Stopped => withdrawn("the companion stopped"),
        Closing::EditorGone => withdrawn("the editor ended"),
        Closing::Interrupted => withdrawn("the companion was interrupted"),
        Closing::TimedOut => withdrawn(&format!("{agent} waits no longer")),
    };
    // After an answer in the agent, the companion reports edits that the agent left out.
    if let Some(draft) = closed.draft.as_ref().filter(|_| closed.closing != Closing::AnsweredInAgent) {
        said += &format!(" Your edits are in {} (`alongside drafts`).", harmless::path(draft));
    }
    said
}

/// The next step of the agent after a person accepted. No more than is known: it may never come to the write.
fn after_yes(review: &Review, follows: Follows, away: bool) -> String {
    let agent = agent_name(&review.agent);
    match follows {
        Follows::Call => {
            format!("{agent} waits no longer, and nothing is written unless its model calls the tool again")
        }
        Follows::Proposal => {
            format!("{agent} cannot take your changes, so its model is asked to propose this text")
        }
        Follows::Prompt => format!("{agent} is told, and may still ask in its own prompt"),
        Follows::Write if away => format!("{agent} is away, and is told once it is back"),
        Follows::Write if review.parts > 1 => {
            "nothing is written before the other files of its patch are decided".to_owned()
        }
        Follows::Write => format!("{agent} writes it"),
    }
}

/// The next step of the agent after a person rejected.
fn after_no(review: &Review, follows: Follows, away: bool) -> String {
    let agent = agent_name(&review.agent);
    match follows {
        Follows::Call => {
            format!("{agent} waits no longer, and its model is told if it calls the tool again")
        }
        Follows::Write | Follows::Prompt | Follows::Proposal if away => {
            format!("{agent} is away, and is told once it is back")
        }
        Follows::Write | Follows::Prompt | Follows::Proposal => format!("{agent} is told"),
    }
}

/// A sentence about the content of this file after the decision on a proposal of this agent.
pub fn last_word(word: Word, file: &str, agent: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), harmless::name(agent));
    let kept = "The accepted text is in `alongside drafts`.";
    match word {
        Word::WrittenAsAccepted => format!("{name}: written as accepted."),
        Word::NotWritten => format!("{name}: accepted, but {agent} has not written it."),
        Word::SomethingElse => {
            format!("{name}: holds something else than you accepted; a formatter may have run. {kept}")
        }
        Word::Gone => format!("{name}: accepted, but the file is gone. {kept}"),
        Word::WrittenThoughRejected => {
            format!("{name}: written although you rejected it: the file holds the text of {agent}.")
        }
        Word::WrittenUndecided => {
            format!("{name}: written without your decision at a desk: the file holds the text of {agent}.")
        }
    }
}

/// An agent that was answered in its own prompt has not written the person's edits into this file.
pub fn edits_left_out(file: &str, agent: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), harmless::name(agent));
    format!("{name}: {agent} left out your edits. They are in `alongside drafts`.")
}

/// The agent waits no longer for this review, which stays open for the next call of its tool.
pub fn waits_no_longer(agent: &Agent, file: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), agent_name(agent));
    format!("{name}: {agent} waits no longer; its model is asked to call the tool again.")
}

/// The person accepts ahead what an agent still proposes for some files.
pub fn granted(grant: &Grant, roots: &[PathBuf]) -> String {
    let agent = harmless::name(&grant.agent);
    let place = granted_place(grant, roots);
    format!("{place}: what {agent} still proposes is accepted, until it ends.")
}

/// The question whether to accept ahead what the agent of a review still proposes.
pub fn accept_ahead(review: &Review, roots: &[PathBuf]) -> String {
    let agent = agent_name(&review.agent);
    let name = file_name(review.leads_to.as_deref().unwrap_or(&review.file), roots);
    let folder = match name.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/"),
        None => "the whole project".to_owned(),
    };
    format!(
        "Accept all that {agent} still proposes until it ends: for {name}, or for {folder} with all folders \
         below?"
    )
}

/// The files of a grant.
pub fn granted_place(grant: &Grant, roots: &[PathBuf]) -> String {
    let name = file_name(&grant.path, roots);
    match grant.scope {
        Scope::File => name,
        Scope::Folder => format!("{}/", name.trim_end_matches('/')),
    }
}

/// The person has taken back all that they accepted ahead.
pub const GRANTS_WITHDRAWN: &str = "Nothing is accepted ahead any more.";

/// No rule has accepted anything, and the person has accepted nothing ahead.
pub const NOTHING_ACCEPTED: &str = "Nothing was accepted without you since the companion started. What it \
                                    accepted before is in the log (`alongside log`).";

/// A rule or a grant has accepted a change.
pub fn accepted_by_rule(accepted: &RuleAcceptance, roots: &[PathBuf]) -> String {
    format!("Accepted without you: {}. L lists it.", acceptance(accepted, roots))
}

/// Why an accepted file of a patch is not written.
const NOT_WRITTEN: &str = "not written, because its patch was broken off";

/// The patch of a change that a rule or a grant has accepted was broken off.
pub fn broken_off(accepted: &RuleAcceptance, roots: &[PathBuf]) -> String {
    format!("{}: {NOT_WRITTEN}.", file_name(&accepted.file, roots))
}

/// A change that a rule or a grant has accepted, in one line.
pub fn acceptance(accepted: &RuleAcceptance, roots: &[PathBuf]) -> String {
    let RuleAcceptance { agent, file, from, by, added, removed, kind, parts, is_broken_off, .. } = accepted;
    let (name, agent, by) = (file_name(file, roots), harmless::name(agent), harmless::name(by));
    let (kind, from) = (kind.word(), from.as_ref().map(|from| format!(" from {}", file_name(from, roots))));
    let from = from.unwrap_or_default();
    let parts = match parts {
        _ if *is_broken_off => format!("; {NOT_WRITTEN}"),
        0 | 1 => String::new(),
        parts => {
            format!("; one of {parts} files of a patch, of which none is written before all are decided")
        }
    };
    format!("{name} ({kind}{from}, +{added} -{removed}) by {agent}, {by}{parts}")
}

/// The person has added a file, or lines of it, to the prompt of an agent.
pub fn mentioned(file: &str, lines: Option<Lines>, agent: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), harmless::name(agent));
    let lines = lines.map_or_else(String::new, |lines| match (lines.start + 1, lines.end) {
        (first, last) if last > first => format!(", lines {first} to {last}"),
        (first, _) => format!(", line {first}"),
    });
    format!("{name}{lines}: added to your prompt in {agent}.")
}

/// The changes whose lines were not fully compared, if any.
pub fn coarse_changes(review: &Review) -> Option<String> {
    let mut limited = review.hunks.iter().enumerate().filter(|(_, hunk)| hunk.limit == Some(Limit::Lines));
    let (first, _) = limited.next()?;
    let limited = match limited.count() {
        0 => format!("change {}", first + 1),
        more => changes(more + 1),
    };
    Some(format!("Too much differs to compare every line of {limited}: some may be equal."))
}

/// Why accepting may do harm: the write would leave the project, or git or agents would obey the file.
pub fn dangers(review: &Review) -> impl Iterator<Item = String> {
    let real = review.in_git.as_deref();
    let in_git = real.map(|real| format!("Git runs or obeys this file: {}", harmless::name(real)));
    let real = review.of_agents.as_deref();
    let of_agents = real
        .map(|real| format!("Agents take settings or instructions from this file: {}", harmless::name(real)));
    outside(review).into_iter().chain(in_git).chain(of_agents)
}

/// A write that would land outside the project.
fn outside(review: &Review) -> Option<String> {
    let real = review.outside.as_deref()?;
    let shown = harmless::name(real);
    Some(if real == review.file {
        format!("This file is outside the project: {shown}")
    } else {
        format!("This path leads outside the project, to {shown}")
    })
}

/// The person leaves, or could leave now, and reviews wait on. `kept_by`: names of those who keep them;
/// without a `screen`, none of those shows reviews.
pub fn stays_open(waiting: usize, kept_by: &[String], screen: bool) -> String {
    if !screen {
        return match waiting {
            1 => "1 review still waits; `alongside` opens it again.".into(),
            _ => format!("{waiting} reviews still wait; `alongside` opens them again."),
        };
    }
    let stay = if waiting == 1 { "1 review stays".into() } else { format!("{waiting} reviews stay") };
    match keepers(kept_by) {
        Some(keepers) => format!("{stay} open in {keepers}."),
        None => format!("{stay} open."),
    }
}

/// Names of those who keep a companion, in a few words.
pub fn keepers(names: &[String]) -> Option<String> {
    let shown = |name: &String| harmless::name(name).into_owned();
    Some(match names {
        [] => return None,
        [one] => shown(one),
        [one, other] => format!("{} and {}", shown(one), shown(other)),
        [one, others @ ..] => format!("{} and {} others", shown(one), others.len()),
    })
}

/// A refusal as a sentence.
pub fn refusal(refusal: &Refusal) -> String {
    let text = refusal.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{}.", harmless::name(&format!("{first}{}", chars.as_str())))
}

/// How much a review proposes: `2 changes`, `a new file`, `a move`, `the whole file`.
pub fn size(review: &Review) -> String {
    match (&review.whole_file_only, &review.original) {
        (Some(_), _) => "the whole file".into(),
        (None, None) => "a new file".into(),
        (None, Some(_)) if review.kind == Some(ChangeKind::Move) && review.hunks.is_empty() => {
            "a move".into()
        }
        (None, Some(_)) => changes(review.hunks.len()),
    }
}

/// Whether accepting would leave an empty file. A remark says it of a deletion.
pub fn empties(review: &Review) -> bool {
    let had_text = review.original.as_ref().is_some_and(|original| !original.is_empty());
    had_text && review.current.is_empty() && review.remark.is_none()
}

/// A number of hunks in words.
pub fn changes(hunks: usize) -> String {
    match hunks {
        0 => "no change".into(),
        1 => "1 change".into(),
        hunks => format!("{hunks} changes"),
    }
}

/// Lines that accepting would add and remove now.
pub fn line_counts(review: &Review) -> (usize, usize) {
    if review.original.is_none() && review.hunks.is_empty() {
        return (Text::new(review.current.clone()).len(), 0);
    }
    let taken = || review.hunks.iter().filter(|hunk| hunk.state != HunkState::Dropped);
    let sum = |lines: fn(&Hunk) -> Lines| taken().map(|hunk| lines(hunk).len()).sum();
    (sum(|hunk| hunk.current), sum(|hunk| hunk.original))
}

/// How many hunks are in each state: `2 kept, 1 dropped`. Empty without hunks.
pub fn hunk_states(review: &Review) -> String {
    let states = [(HunkState::Kept, "kept"), (HunkState::Dropped, "dropped"), (HunkState::Edited, "edited")];
    let parts = states.map(|(state, name)| {
        let count = review.hunks.iter().filter(|hunk| hunk.state == state).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A review arrived. `waiting`: how many wait now; if more than one, the person reads another one, and `key`
/// goes to this one: `Tab: next`.
pub fn arrived(review: &Review, roots: &[PathBuf], waiting: usize, key: &str) -> String {
    let (name, agent) = (file_name(&review.file, roots), agent_name(&review.agent));
    match waiting {
        1 => format!("New review: {name} by {agent}."),
        _ => format!("New review: {name} by {agent}; {waiting} are waiting ({key})."),
    }
}

/// So many names stand in an announcement.
const MOST_NAMES: usize = 3;

/// Several reviews arrived together; the rest as for [`arrived`].
pub fn arrived_together(reviews: &[&Review], roots: &[PathBuf], waiting: usize, key: &str) -> String {
    let mut names: Vec<_> = reviews.iter().map(|review| file_name(&review.file, roots)).collect();
    if names.len() > MOST_NAMES + 1 {
        let more = names.len() - MOST_NAMES;
        names.truncate(MOST_NAMES);
        names.push(format!("{more} more"));
    }
    let mut agents: Vec<_> = reviews.iter().map(|review| agent_name(&review.agent)).collect();
    agents.sort();
    agents.dedup();
    let agents = if agents.len() > 2 { format!("{} agents", agents.len()) } else { agents.join(" and ") };
    let (count, names) = (reviews.len(), names.join(", "));
    format!("{count} new reviews: {names} by {agents}; {waiting} are waiting ({key}).")
}

/// A new proposal, mostly in less than a line.
pub fn proposes(review: &Review) -> String {
    proposes_for(review, &short_name(review))
}

/// A new proposal for the file of this name.
pub fn proposes_for(review: &Review, name: &str) -> String {
    format!("{}{name}: {} proposes {}", dangers_briefly(review), agent_name(&review.agent), size(review))
}

/// The dangers of accepting, in capitals before the name of the file; mostly empty.
pub fn dangers_briefly(review: &Review) -> String {
    let outside = if review.outside.is_some() { "OUTSIDE THE PROJECT: " } else { "" };
    let in_git = if review.in_git.is_some() { "RUN BY GIT: " } else { "" };
    format!("{outside}{in_git}")
}

/// The file without its directory.
pub fn short_name(review: &Review) -> String {
    let name = Path::new(&review.file).file_name().unwrap_or_default();
    harmless::name(&name.to_string_lossy()).into_owned()
}

/// The person paused or resumed the context.
pub fn paused(paused: bool) -> &'static str {
    if paused {
        "Context is paused: agents learn nothing about your files (p resumes)."
    } else {
        "Context is on: agents learn about your files."
    }
}

/// A hunk that the person edited has no smaller ones in it.
pub const EDITED_NOT_SPLIT: &str = "An edited change cannot be split.";

/// The person split a hunk; there were `before` hunks, and there are `now`.
pub fn split(before: usize, now: usize) -> String {
    format!("Split into {}.", changes((now + 1).saturating_sub(before)))
}

/// The person wants to say why, and the agent's model would not read it. `has_hook`: a hook that can be
/// installed would carry reasons; the agent of a demo has none.
pub fn no_reason(agent: &Agent, has_hook: bool) -> String {
    let helps = has_hook && !gives_way_to_diffs(agent);
    let hook = if helps { " `alongside install agent` offers its hook." } else { "" };
    format!("{} reads no reason here: its protocol carries none.{hook}", agent_name(agent))
}

/// Whether the hook of an agent says nothing where the agent opens a diff, because it does not wait long
/// enough for a person.
fn gives_way_to_diffs(agent: &Agent) -> bool {
    let row = AGENTS.iter().find(|row| row.display_name == agent.name);
    row.and_then(|row| row.hook.as_ref()).is_some_and(|hook| hook.calls_again)
}

/// The review has the person's reason for the decision on all of it. `r` rejects and `a` accepts.
pub fn reason_noted(reasons: Reasons) -> &'static str {
    match reasons {
        Reasons::WithRejection => "Reason noted. r rejects with it, a accepts without it.",
        Reasons::Always | Reasons::Never => "Reason noted. r rejects with it, a accepts with it.",
    }
}

/// A change has the person's reason.
pub fn reason_of_change_noted(reasons: Reasons) -> &'static str {
    match reasons {
        Reasons::WithRejection => "Reason noted. It is read only if you reject.",
        Reasons::Always | Reasons::Never => "Reason noted.",
    }
}

/// A change has the person's reason, and is dropped with it.
pub fn dropped_with_reason(reasons: Reasons) -> &'static str {
    match reasons {
        Reasons::WithRejection => "Dropped, with your reason. It is read only if you reject.",
        Reasons::Always | Reasons::Never => "Dropped, with your reason.",
    }
}

/// The person has taken back the change of a reason.
pub const REASON_RESTORED: &str = "The reason is the one of before.";

/// The person removed a reason.
pub const REASON_REMOVED: &str = "Reason removed.";

/// A change that the person dropped: what the agent proposed, above its lines.
pub fn dropped(hunk: &Hunk) -> String {
    format!("dropped: {}", new_lines(hunk))
}

/// A change of a turn that the person has marked: what is undone, above its lines.
pub fn undone(hunk: &Hunk) -> String {
    format!("undone: {}", new_lines(hunk))
}

/// The lines that a change brings, in words.
fn new_lines(hunk: &Hunk) -> String {
    let lines = |lines: usize| if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
    match (hunk.original.len(), hunk.proposed.len()) {
        (removed, 0) => format!("the removal of {}", lines(removed)),
        (0, 1) => "1 added line".to_owned(),
        (0, added) => format!("{added} added lines"),
        (removed, added) => format!("{} in place of {removed}", lines(added)),
    }
}

/// The person's reason for a change, in one line.
pub fn why(hunk: &Hunk) -> Option<String> {
    let reason = hunk.reason.as_deref()?;
    Some(format!("Why: {}", harmless::name(&reason_in_one_line(reason))))
}

/// A reason for people to edit in one line: changes that merged have several reasons. It is not harmless yet.
pub fn reason_in_one_line(reason: &str) -> String {
    let lines = reason.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

/// The review holds what the person typed in the editor.
pub fn edit_taken(hunks: usize) -> String {
    format!("Edit applied: {}.", changes(hunks))
}

/// The editor failed. `left`: the file that holds what the person typed, if anything.
pub fn editor_failed(why: &str, left: Option<&Path>) -> String {
    let why = harmless::name(why);
    match left {
        None => format!("The review is unchanged: {why}."),
        Some(path) => format!("The review is unchanged: {why}. Your text is in {}.", harmless::path(path)),
    }
}

/// The companion refused what the person typed, and `e` opens it again. `place` is harmless.
pub fn text_refused(name: &str, place: &str) -> String {
    format!("{name}: {CHANGED_WHILE_EDITED}. e opens your text again; a copy is in {place}.")
}

/// Nobody took what the person typed. `place` is harmless; without one, the message holds the text.
pub fn text_kept(name: &str, why: &str, place: Option<&str>, text: &str) -> String {
    match place {
        Some(place) => format!("{name}: {why}. Your text is in {place}."),
        None => format!("{name}: {why}. This is your text:\n{}", harmless::text(text)),
    }
}

#[cfg(test)]
mod tests;
