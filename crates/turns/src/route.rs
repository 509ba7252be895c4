//! The way by which a message reaches an agent, in words for the person.

use alongside_desk::{Route, harmless};

use crate::comment_log::{Address, Read};
use crate::delivery::Delivery;
use crate::log::{Kind, Record};

/// The session that gets what is sent now: that of the last turn.
pub(crate) fn address(log: &[Record]) -> Option<Address> {
    let is_turn = |record: &&Record| matches!(record.kind, Kind::Prompt | Kind::End);
    let last = log.iter().rev().filter(is_turn).find(|record| !record.agent.is_empty())?;
    Some(Address { agent: last.agent.clone(), session: last.session.clone() })
}

/// The way of a message to it, before the person writes one. `is_awaited`: a hook waits for it.
pub(crate) fn route(to: Option<&Address>, is_awaited: bool) -> Route {
    let agent = to.map(|to| harmless::name(&to.agent).into_owned()).unwrap_or_default();
    Route { agent, words: waiting(to, is_awaited) }
}

/// How and when a message is read that waits.
pub(crate) fn waiting(to: Option<&Address>, is_awaited: bool) -> String {
    match to {
        Some(to) if is_awaited => format!("{} reads it at once", harmless::name(&to.agent)),
        Some(to) => format!("{} reads it with your next prompt", harmless::name(&to.agent)),
        None => "the next agent whose turns are noted here reads it with your prompt".to_owned(),
    }
}

/// How a message was read.
pub(crate) fn read(read: &Read) -> String {
    let agent = read.by.as_ref().map_or("an agent".into(), |by| harmless::name(&by.agent));
    match read.delivery {
        Delivery::Prompt => format!("{agent} has read it with your prompt"),
        Delivery::Wake => format!("{agent} has read it, and goes on"),
        Delivery::Queue | Delivery::Other => format!("{agent} has read it"),
        Delivery::Clipboard => "you have copied it, to paste it yourself".to_owned(),
    }
}

/// Whether a session is the one that a message is for. Another session of the agent is, if its first turn
/// came after the message: the person has begun anew.
pub(crate) fn is_for(to: Option<&Address>, sent: u64, agent: &str, session: &str, log: &[Record]) -> bool {
    let Some(to) = to else { return true };
    let was_there = |record: &Record| record.agent == agent && record.session == session && record.at <= sent;
    to.agent == agent && (to.session == session || !log.iter().any(was_there))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: Kind, agent: &str, session: &str, at: u64) -> Record {
        Record { agent: agent.into(), session: session.into(), ..Record::new(kind, at) }
    }

    #[test]
    fn the_session_of_the_last_turn_gets_a_message() {
        assert_eq!(address(&[]), None);
        let log = [
            record(Kind::Prompt, "Codex", "c", 1),
            record(Kind::Prompt, "Claude Code", "s", 2),
            record(Kind::Finish, "", "", 3),
        ];
        let to = address(&log);
        assert_eq!(to, Some(Address { agent: "Claude Code".into(), session: "s".into() }));
        assert_eq!(route(to.as_ref(), false).words, "Claude Code reads it with your next prompt");
        assert_eq!(route(to.as_ref(), true).words, "Claude Code reads it at once");
        assert!(waiting(None, true).starts_with("the next agent"), "nobody is known");
        let log = [log[1].clone(), record(Kind::Prompt, "Claude Code", "beside", 4)];
        let is_for = |agent, session| is_for(to.as_ref(), 5, agent, session, &log);
        assert!(is_for("Claude Code", "s") && is_for("Claude Code", "new"));
        assert!(!is_for("Claude Code", "beside"), "another one that was at work then");
        assert!(!is_for("Codex", "c"));
        assert!(super::is_for(None, 5, "Codex", "c", &log));
    }
}
