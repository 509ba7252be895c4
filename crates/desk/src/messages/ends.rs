//! The sentences about the end of a review, and about the content of its file after that.

use std::path::PathBuf;

use super::names::{agent_name, file_name, hook_of};
use crate::harmless;
use crate::review::decision::{Closed, Closing, Follows};
use crate::review::last_word::Word;
use crate::review::{Review, Unawaited};
use crate::status::Agent;

/// Returns a sentence about the end of a review. `away`: whether the agent is not listening.
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

/// Returns the sentence about the agent's next step after a person accepted. It promises no write that may
/// never happen.
fn after_yes(review: &Review, follows: Follows, away: bool) -> String {
    let agent = agent_name(&review.agent);
    match follows {
        Follows::Call => {
            format!("{agent} waits no longer, and nothing is written unless its model calls the tool again")
        }
        Follows::Proposal => {
            format!("{agent} cannot take your changes, so its model is asked to propose this text")
        }
        Follows::Prompt if may_be_stopped(&review.agent) => {
            format!("{agent} is told unless you stopped it, and may still ask in its own prompt")
        }
        Follows::Prompt => format!("{agent} is told, and may still ask in its own prompt"),
        Follows::Write if away => format!("{agent} is away, and is told once it is back"),
        Follows::Write if review.parts > 1 => {
            "nothing is written before the other files of its patch are decided".to_owned()
        }
        Follows::Write if may_be_stopped(&review.agent) => {
            format!("{agent} is told, and writes it unless you stopped it")
        }
        Follows::Write => format!("{agent} writes it"),
    }
}

/// Whether a person may have stopped the agent with Esc, which its hook does not learn.
fn may_be_stopped(agent: &Agent) -> bool {
    agent.by_hook && hook_of(agent).is_some_and(|hook| !hook.ends_by_esc)
}

/// Returns the sentence about the agent's next step after a person rejected.
fn after_no(review: &Review, follows: Follows, away: bool) -> String {
    let agent = agent_name(&review.agent);
    match follows {
        Follows::Call => {
            format!("{agent} waits no longer, and its model is told if it calls the tool again")
        }
        Follows::Write | Follows::Prompt | Follows::Proposal if away => {
            format!("{agent} is away, and is told once it is back")
        }
        Follows::Write | Follows::Prompt | Follows::Proposal if may_be_stopped(&review.agent) => {
            format!("{agent} is told unless you stopped it")
        }
        Follows::Write | Follows::Prompt | Follows::Proposal => format!("{agent} is told"),
    }
}

/// Returns a sentence about the content of this file after the decision on a proposal of this agent.
pub fn last_word(word: Word, file: &str, agent: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), harmless::name(agent));
    let kept = "The accepted text is in `alongside drafts`.";
    match word {
        Word::WrittenAsAccepted => format!("{name}: written as accepted."),
        Word::NotWritten => format!("{name}: accepted, but {agent} has not written it."),
        Word::SomethingElse => {
            format!("{name}: holds something else than you accepted. {kept}")
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

/// Returns the message that an agent that was answered in its own prompt has written this file.
pub fn written_as_proposed(file: &str, roots: &[PathBuf]) -> String {
    format!("{}: written as proposed.", file_name(file, roots))
}

/// Returns the message that an agent that was answered in its own prompt has not written this file so far.
pub fn not_written(file: &str, agent: &str, roots: &[PathBuf]) -> String {
    format!("{}: {} has not written it.", file_name(file, roots), harmless::name(agent))
}

/// Returns the message that an agent that was answered in its own prompt has not written the person's edits
/// into this file.
pub fn edits_left_out(file: &str, agent: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), harmless::name(agent));
    format!("{name}: {agent} left out your edits. They are in `alongside drafts`.")
}

/// Returns the remark that no agent waits for this review; `None` while its agent waits.
pub fn unawaited(review: &Review) -> Option<String> {
    let agent = agent_name(&review.agent);
    let said = match review.unawaited? {
        Unawaited::CallsAgain => {
            format!("{agent} waits no longer: its model is asked to call the tool again.")
        }
        Unawaited::TurnOver => format!(
            "Nobody waits for this: {agent} was asked to end its turn. Decide within ten minutes of that, \
             then tell it to go on."
        ),
        Unawaited::Other => format!("{agent} waits no longer."),
    };
    Some(said)
}

/// Returns the message that the agent waits no longer for this review, which stays open for the next call of
/// its tool.
pub fn waits_no_longer(agent: &Agent, file: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), agent_name(agent));
    format!("{name}: {agent} waits no longer; its model is asked to call the tool again.")
}

/// Returns the message that the tool was called again: the agent waits for this review as before.
pub fn waits_again(agent: &Agent, file: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), agent_name(agent));
    format!("{name}: {agent} has called its tool again, and waits for your decision.")
}

/// Returns the message that the agent waits no longer, and its model was asked to end its turn: it calls
/// again once the person asks it to go on.
pub fn waits_for_its_person(agent: &Agent, file: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), agent_name(agent));
    format!("{name}: {agent} was asked to end its turn. Decide within ten minutes, then tell it to go on.")
}
