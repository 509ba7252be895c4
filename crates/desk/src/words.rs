//! What all desks say alike. Everything that came from outside goes through [`harmless`].

use std::path::{Path, PathBuf};

use crate::{Agent, Closed, Closing, Refusal, Review, harmless};

/// The file as people call it: relative to a root where it lies in one.
pub fn file_name(file: &str, roots: &[PathBuf]) -> String {
    let path = Path::new(file);
    let relative = roots
        .iter()
        .filter_map(|root| path.strip_prefix(root).ok())
        .min_by_key(|rest| rest.as_os_str().len());
    match relative {
        Some(rest) if !rest.as_os_str().is_empty() => harmless::path(rest),
        _ => harmless::name(file).into_owned(),
    }
}

/// The agent as people call it.
pub fn agent_name(agent: &Agent) -> String {
    if agent.name.trim().is_empty() {
        return format!("agent {}", agent.number);
    }
    harmless::name(&agent.name).into_owned()
}

/// How a review ended. `away`: the agent does not listen just now.
pub fn closed(review: &Review, closed: &Closed, roots: &[PathBuf], away: bool) -> String {
    let (name, agent) = (file_name(&review.file, roots), agent_name(&review.agent));
    let where_ = if closed.decided_here { "" } else { " at another desk" };
    let mut said = match closed.closing {
        Closing::Accepted => format!("{name}: accepted{where_}; {agent} writes it."),
        Closing::Rejected => format!("{name}: rejected{where_}; {agent} is told."),
        Closing::AnsweredInAgent => format!("{name}: was answered in {agent} itself."),
        Closing::Replaced => {
            format!("{name}: {agent} proposes this file anew; the earlier proposal is gone.")
        }
        Closing::AgentGone => format!("{name}: {agent} is gone, and its proposal with it."),
        Closing::Stopped => format!("{name}: rejected, because the companion stops."),
        Closing::EditorGone => format!("{name}: rejected, because the editor is gone."),
        Closing::Interrupted => format!("{name}: rejected, because the companion was interrupted."),
    };
    if away && matches!(closed.closing, Closing::Accepted | Closing::Rejected) {
        said += " It is away just now, and hears of it if it comes back.";
    }
    if let Some(draft) = &closed.draft {
        said += &format!(" Your edits are in {} (see: alongside drafts).", harmless::path(draft));
    }
    said
}

/// What a write would do that nobody expects of one in the project: the first things a person should know.
pub fn dangers(review: &Review) -> impl Iterator<Item = String> {
    let real = review.in_git.as_deref();
    let in_git = real.map(|real| format!("Git runs or obeys this file: {}", harmless::name(real)));
    outside(review).into_iter().chain(in_git)
}

/// That it would end up outside the project, if so.
pub fn outside(review: &Review) -> Option<String> {
    let real = review.outside.as_deref()?;
    let shown = harmless::name(real);
    Some(if real == review.file {
        format!("This file is outside the project: {shown}")
    } else {
        format!("This path leads outside the project, to {shown}")
    })
}

/// A refusal as a sentence.
pub fn refusal(refusal: &Refusal) -> String {
    let text = refusal.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{}.", harmless::name(&format!("{first}{}", chars.as_str())))
}
