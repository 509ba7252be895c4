//! Determines which session a message is for, and describes for the person how and when it is read.

use std::collections::BTreeSet;

use alongside_desk::{Route, harmless};
use alongside_platform::process;

use crate::sessions::open_turns::last_of;
use crate::sessions::read_moment::ReadMoment;
use crate::snapshots::compared_trees::baseline;
use crate::store::comment_state::{Given, Read, Round};
use crate::store::delivery_way::Delivery;
use crate::store::session_address::Address;
use crate::store::turn_log::{Kind, Record};

/// The time for which no other session gets a message that one session was given, while neither the turn nor
/// the process of that session ends, in milliseconds.
const MAX_GIVEN_MS: u64 = 60 * 60 * 1000;

/// Returns the session that a message sent now is for: that of the last turn at which a person was present.
pub(crate) fn address(log: &[Record]) -> Option<Address> {
    let is_named = |record: &&Record| !record.agent.is_empty() && !record.is_unattended;
    log.iter().rev().filter(|record| record.is_of_turn()).find(is_named).map(Record::address)
}

/// Returns the route of a message to a session, as desks show it before the person writes the message.
pub(crate) fn route(to: Option<&Address>, when: ReadMoment, log: &[Record]) -> Route {
    let agent = to.map(|to| harmless::name(&to.agent).into_owned()).unwrap_or_default();
    let mut words = waiting(to, when);
    let others = others(to, log);
    if !others.is_empty() {
        let do_not = if others.len() == 1 { "does not" } else { "do not" };
        words = format!("{words}; {} worked here too, and {do_not}", others.join(" and "));
    }
    Route { agent, words, has_left: to.is_some_and(|to| has_left(to, log)) }
}

/// Whether the process of the last turn of a session has ended.
fn has_left(to: &Address, log: &[Record]) -> bool {
    last_of(log, to).and_then(|record| record.process).is_some_and(|process| !process.runs())
}

/// Lists the agents other than `to` that have worked since the baseline, and that do not get the message.
fn others(to: Option<&Address>, log: &[Record]) -> Vec<String> {
    let Some(to) = to else { return Vec::new() };
    let since = log.iter().skip(baseline(log).unwrap_or(0));
    let prompts = since.filter(|record| record.kind == Kind::Prompt && record.agent != to.agent);
    let agents: BTreeSet<&str> =
        prompts.map(|record| &*record.agent).filter(|agent| !agent.is_empty()).collect();
    agents.into_iter().map(|agent| harmless::name(agent).into_owned()).collect()
}

/// Says how and when a waiting message is read.
pub(crate) fn waiting(to: Option<&Address>, when: ReadMoment) -> String {
    let Some(to) = to else {
        return "the next agent whose turns are noted here reads it with your prompt".to_owned();
    };
    let when = match when {
        ReadMoment::AtOnce => "at once",
        ReadMoment::AfterTurn => "when its turn ends, or with your next prompt",
        ReadMoment::NextPrompt => "with your next prompt",
    };
    format!("{} reads it {when}", harmless::name(&to.agent))
}

/// Describes a message that a session was given beside a prompt, and that does not count as read yet.
pub(crate) fn given(given: &Given) -> String {
    let agent = harmless::name(&given.by.agent);
    match has_ended(given) {
        true => format!("{agent} had got it with your prompt, and has ended: its next session gets it again"),
        false => format!("{agent} has got it with your prompt, and has read it once its turn ends"),
    }
}

/// Whether the process of the session has ended before its turn. If another process now has the same id, the
/// session counts as alive.
fn has_ended(given: &Given) -> bool {
    given.process.is_some_and(|process| !process::is_alive(process))
}

/// Says how a message was read, and whether the turn that has read it has ended.
pub(crate) fn read(read: &Read, log: &[Record]) -> String {
    let agent = read.by.as_ref().map_or("an agent".into(), |by| harmless::name(&by.agent));
    let goes_on = read.by.as_ref().is_some_and(|by| last_of(log, by).is_some_and(Record::may_go_on));
    match (read.delivery, ended(read, log)) {
        (Delivery::Clipboard, _) => "you have copied it, to paste it yourself".to_owned(),
        (Delivery::Pane, _) => "you have pasted it into the agent's pane".to_owned(),
        (Delivery::Prompt, Some(_)) => {
            format!("{agent} has read it with your prompt, and has ended its turn")
        }
        (_, Some(_)) => format!("{agent} has read it, and has ended its turn"),
        (Delivery::Prompt, None) => format!("{agent} has read it with your prompt"),
        (Delivery::Wake, None) if goes_on => format!("{agent} has read it, and goes on"),
        (Delivery::Wake | Delivery::Queue | Delivery::Other, None) => format!("{agent} has read it"),
    }
}

/// Returns when the turn ended in which a session has read a message, in milliseconds since the Unix epoch.
pub(crate) fn ended(read: &Read, log: &[Record]) -> Option<u64> {
    let by = read.by.as_ref()?;
    let mut later = log.iter().filter(|record| record.is_of(by) && record.at > read.at);
    // The snapshot of the end that woke the session may be taken after the message was read.
    if read.delivery == Delivery::Wake {
        later.find(|record| record.kind == Kind::Prompt)?;
    }
    later.find(|record| record.kind == Kind::End).map(|record| record.at)
}

/// Returns the keys of all other sessions in the log of the agent of `to`.
pub(crate) fn beside(to: Option<&Address>, log: &[Record]) -> Vec<String> {
    let Some(to) = to else { return Vec::new() };
    let is_other = |record: &&Record| record.agent == to.agent && record.session != to.session;
    let sessions: BTreeSet<&str> = log.iter().filter(is_other).map(|record| &*record.session).collect();
    let key = |session: &str| Address::new(&to.agent, session).key();
    sessions.into_iter().map(key).collect()
}

/// Whether a session may read a round: the session that the round names, or a session of the same agent whose
/// first turn came after the round was sent, if a person is at it, because the person may have begun again.
/// Sessions without a name cannot be distinguished, so none of them counts as the named one.
pub(crate) fn is_for(round: &Round, session: &Address, is_attended: bool, now: u64) -> bool {
    // Another session was given the round, and may be working on it.
    if let Some(given) = &round.given
        && given.by != *session
        && now < given.at.saturating_add(MAX_GIVEN_MS)
        && !has_ended(given)
    {
        return false;
    }
    let Some(to) = &round.to else { return is_attended };
    if to.agent != session.agent {
        return false;
    }
    let is_same = !to.session.is_empty() && to.session == session.session;
    is_same || is_attended && !round.beside.contains(&session.key())
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
        assert_eq!(to, Some(Address::new("Claude Code", "s")));
        assert_eq!(
            route(to.as_ref(), ReadMoment::NextPrompt, &[]).words,
            "Claude Code reads it with your next prompt"
        );
        assert_eq!(route(to.as_ref(), ReadMoment::AtOnce, &[]).words, "Claude Code reads it at once");
        let both = "Claude Code reads it at once; Codex worked here too, and does not";
        assert_eq!(route(to.as_ref(), ReadMoment::AtOnce, &log).words, both);
        let tree = |mut record: Record| {
            record.tree = Some("a".into());
            record
        };
        let reviewed = log.clone().map(tree);
        assert_eq!(
            route(to.as_ref(), ReadMoment::AtOnce, &reviewed).words,
            "Claude Code reads it at once",
            "since then"
        );
        assert!(waiting(None, ReadMoment::AtOnce).starts_with("the next agent"), "nobody is known");
    }

    #[test]
    fn an_agent_has_left_once_the_process_of_its_last_turn_has_ended() {
        use crate::store::turn_log::AgentProcess;

        let here = AgentProcess::of(std::process::id());
        let gone = Some(AgentProcess { pid: std::process::id(), started: 1 });
        let left = |first, last| {
            let by = |process, kind, at| Record { process, ..record(kind, "Codex", "c", at) };
            let log = [by(first, Kind::Prompt, 1), by(last, Kind::End, 2)];
            route(address(&log).as_ref(), ReadMoment::NextPrompt, &log).has_left
        };
        assert!(left(here, gone));
        assert!(!left(gone, here), "it was resumed");
        assert!(!left(here, None), "nobody knows");
    }

    #[test]
    fn the_state_of_a_message_names_the_end_of_the_turn_that_read_it() {
        let words = |delivery, log: &[Record]| {
            let message = Read { delivery, by: Some(Address::new("Claude Code", "s")), at: 5 };
            (read(&message, log), ended(&message, log))
        };
        let mut log =
            vec![record(Kind::Prompt, "Claude Code", "s", 1), record(Kind::End, "Claude Code", "s", 4)];
        assert_eq!(words(Delivery::Wake, &log), ("Claude Code has read it, and goes on".into(), None));
        // The snapshot of the end that woke the session was taken after the message was read.
        log.push(record(Kind::End, "Claude Code", "s", 6));
        assert_eq!(words(Delivery::Wake, &log), ("Claude Code has read it, and goes on".into(), None));
        log.pop();
        log.push(record(Kind::Prompt, "Claude Code", "s", 6));
        log.push(record(Kind::End, "Claude Code", "beside", 7));
        assert_eq!(words(Delivery::Prompt, &log), ("Claude Code has read it with your prompt".into(), None));
        log.push(record(Kind::End, "Claude Code", "s", 8));
        log.push(record(Kind::End, "Claude Code", "s", 9));
        let said = |how: &str| (format!("Claude Code has read it{how}, and has ended its turn"), Some(8));
        assert_eq!(words(Delivery::Wake, &log), said(""));
        assert_eq!(words(Delivery::Prompt, &log), said(" with your prompt"));
        // The agent's process has ended in the middle of the turn.
        let process = Some(crate::store::turn_log::AgentProcess { pid: std::process::id(), started: 1 });
        let gone = [Record { process, ..record(Kind::Prompt, "Claude Code", "s", 6) }];
        assert_eq!(words(Delivery::Wake, &gone), ("Claude Code has read it".into(), None));
        let by_person = |delivery| read(&Read { delivery, by: None, at: 5 }, &log);
        assert_eq!(by_person(Delivery::Clipboard), "you have copied it, to paste it yourself");
        assert_eq!(by_person(Delivery::Pane), "you have pasted it into the agent's pane");
    }

    fn round(to: Option<Address>, log: &[Record]) -> Round {
        let beside = beside(to.as_ref(), log);
        Round { number: 1, to, beside, ..Round::default() }
    }

    #[test]
    fn a_later_session_gets_a_message_and_an_earlier_one_does_not() {
        let log = [
            record(Kind::Prompt, "Claude Code", "beside", 9_000),
            record(Kind::Prompt, "Claude Code", "s", 2),
        ];
        let round = round(address(&log), &log);
        let is_for = |agent, name| is_for(&round, &Address::new(agent, name), true, 0);
        assert!(is_for("Claude Code", "s") && is_for("Claude Code", "new"));
        assert!(!is_for("Claude Code", "beside"), "another one that was at work then");
        assert!(!is_for("Codex", "s"));
    }

    #[test]
    fn an_unattended_session_gets_only_messages_that_name_it() {
        let mut log = vec![record(Kind::Prompt, "Claude Code", "s", 1)];
        for kind in [Kind::Prompt, Kind::End] {
            log.push(Record { is_unattended: true, ..record(kind, "Claude Code", "script", 2) });
        }
        let round_to = round(address(&log), &log);
        assert_eq!(round_to.to, Some(Address::new("Claude Code", "s")));
        assert!(!is_for(&round_to, &Address::new("Claude Code", "later script"), false, 0));
        assert!(is_for(&round_to, &Address::new("Claude Code", "s"), false, 0), "it is the same session");
        assert!(!is_for(&round(None, &[]), &Address::new("Claude Code", "script"), false, 0));
        assert!(is_for(&round(None, &[]), &Address::new("Codex", "c"), true, 0));
    }

    #[test]
    fn sessions_without_a_name_do_not_count_as_the_same() {
        let log = [record(Kind::Prompt, "Codex", "", 1)];
        let round = round(address(&log), &log);
        assert!(!is_for(&round, &Address::new("Codex", ""), false, 0));
        assert!(is_for(&round, &Address::new("Codex", ""), true, 0), "a person is there");
    }
}
