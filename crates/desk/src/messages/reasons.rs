//! The sentences about the person's reasons.

use super::names::{agent_name, hook_of};
use crate::harmless;
use crate::review::{Hunk, Reasons};
use crate::status::Agent;

/// Returns the message that the agent's model would not read a reason. `has_hook`: whether a hook that can be
/// installed would carry reasons; the agent of a demo has none.
pub fn no_reason(agent: &Agent, has_hook: bool) -> String {
    let helps = has_hook && !gives_way_to_diffs(agent);
    let hook = if helps { " `alongside install agent` offers its hook." } else { "" };
    format!("{} reads no reason here: its protocol carries none.{hook}", agent_name(agent))
}

/// Whether the hook of an agent gives no answer if the agent opens a diff, because the hook does not wait
/// long enough for a person.
fn gives_way_to_diffs(agent: &Agent) -> bool {
    hook_of(agent).is_some_and(|hook| hook.calls_again)
}

/// Returns the message that the review has the person's reason for the decision on all of it. `r` rejects and
/// `a` accepts.
pub fn reason_noted(reasons: Reasons) -> &'static str {
    match reasons {
        Reasons::WithRejection => "Reason noted. r rejects with it, a accepts without it.",
        Reasons::Always | Reasons::Never => "Reason noted. r rejects with it, a accepts with it.",
    }
}

/// Returns the message that a change has the person's reason.
pub fn reason_of_change_noted(reasons: Reasons) -> &'static str {
    match reasons {
        Reasons::WithRejection => "Reason noted. It is read only if you reject.",
        Reasons::Always | Reasons::Never => "Reason noted.",
    }
}

/// Returns the message that a change has the person's reason, and is dropped with it.
pub fn dropped_with_reason(reasons: Reasons) -> &'static str {
    match reasons {
        Reasons::WithRejection => "Dropped, with your reason. It is read only if you reject.",
        Reasons::Always | Reasons::Never => "Dropped, with your reason.",
    }
}

/// The person has undone the change of a reason.
pub const REASON_RESTORED: &str = "The reason is the one of before.";

/// The person removed a reason.
pub const REASON_REMOVED: &str = "Reason removed.";

/// Returns the person's reason for a change, in one line.
pub fn why(hunk: &Hunk) -> Option<String> {
    let reason = hunk.reason.as_deref()?;
    Some(format!("Why: {}", harmless::name(&reason_in_one_line(reason))))
}

/// Returns a reason for people to edit in one line: changes that merged have several reasons. It is not
/// harmless yet.
pub fn reason_in_one_line(reason: &str) -> String {
    let lines = reason.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}
