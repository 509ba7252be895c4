//! The turns that have begun and not ended, by the log. Nothing tells of Esc before the next prompt, so that
//! a turn counts as open until then, or until its agent's process ends.

use alongside_companion::turns::source::OpenTurn;
use alongside_desk::{AtWork, harmless};

use crate::comment_log::Address;
use crate::log::{Kind, Record};

/// The turns that are open, each with its agent, in the order in which they began.
pub(crate) fn open_turns(log: &[Record]) -> Vec<OpenTurn> {
    let is_turn = |record: &&Record| matches!(record.kind, Kind::Prompt | Kind::End);
    let is_same = |one: &Record, other: &Record| (&one.agent, &one.session) == (&other.agent, &other.session);
    let mut last: Vec<&Record> = Vec::new();
    for record in log.iter().filter(is_turn) {
        last.retain(|known| !is_same(known, record));
        last.push(record);
    }
    last.into_iter().filter(|record| is_open(record)).map(told).collect()
}

/// Whether the turn is open that a session has begun last.
pub(crate) fn is_at_work(log: &[Record], to: &Address) -> bool {
    last_of(log, to).is_some_and(is_open)
}

/// The last prompt or end of a session.
pub(crate) fn last_of<'l>(log: &'l [Record], to: &Address) -> Option<&'l Record> {
    let of_session = |record: &&Record| (&record.agent, &record.session) == (&to.agent, &to.session);
    log.iter().rev().filter(of_session).find(|record| matches!(record.kind, Kind::Prompt | Kind::End))
}

fn is_open(last: &Record) -> bool {
    last.kind == Kind::Prompt && last.may_go_on()
}

fn told(record: &Record) -> OpenTurn {
    let agent = match record.agent.is_empty() {
        true => "an agent".to_owned(),
        false => harmless::name(&record.agent).into_owned(),
    };
    let told = AtWork { agent, since: record.at };
    OpenTurn { told, process: record.process.map(|process| process.pid) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::AgentProcess;

    fn record(kind: Kind, agent: &str, session: &str, at: u64) -> Record {
        Record { agent: agent.into(), session: session.into(), ..Record::new(kind, at) }
    }

    #[test]
    fn a_turn_is_open_from_its_prompt_to_its_end() {
        let mut log =
            vec![record(Kind::Prompt, "Codex", "c", 1), record(Kind::Prompt, "Claude Code", "s", 2)];
        let open = |log: &[Record]| -> Vec<_> {
            open_turns(log).into_iter().map(|open| (open.told.agent, open.told.since)).collect()
        };
        assert_eq!(open(&log), [("Codex".to_owned(), 1), ("Claude Code".to_owned(), 2)]);
        log.push(record(Kind::End, "Codex", "c", 3));
        log.push(Record::new(Kind::Finish, 4));
        assert_eq!(open(&log), [("Claude Code".to_owned(), 2)]);
        // A prompt after Esc begins another turn.
        log.push(record(Kind::Prompt, "Claude Code", "s", 5));
        assert_eq!(open(&log), [("Claude Code".to_owned(), 5)]);
        log.push(record(Kind::End, "Claude Code", "s", 6));
        assert_eq!(open(&log), []);
    }

    #[test]
    fn a_turn_ends_with_its_agent() {
        let process = Some(AgentProcess { pid: std::process::id(), started: 1 });
        let log = [Record { process, ..record(Kind::Prompt, "Codex", "c", 1) }];
        assert_eq!(open_turns(&log), []);
        assert!(!is_at_work(&log, &Address { agent: "Codex".into(), session: "c".into() }));
    }
}
