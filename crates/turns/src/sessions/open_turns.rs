//! Finds in the log the turns that have begun and not ended. An agent runs no hook when the person presses
//! Esc, so a turn counts as open until the next prompt, or until the agent's process ends. The next prompt
//! may come from another session of the same process, as after `/clear`.

use alongside_companion::turns::source::OpenTurn;
use alongside_desk::{AtWork, harmless};

use crate::store::session_address::Address;
use crate::store::turn_log::{Kind, Record};

/// The time for which a turn counts as open if the agent's process is not known, in milliseconds.
const MAX_OPEN_WITHOUT_PROCESS_MS: u64 = 60 * 60 * 1000;

/// The time for which a turn counts as open while the agent's process runs, in milliseconds. A daemon of
/// Codex outlives a session that Esc has stopped, and the person may never prompt that session again.
const MAX_OPEN_MS: u64 = 24 * MAX_OPEN_WITHOUT_PROCESS_MS;

/// Lists the open turns, each with its agent, in the order in which they began.
pub(crate) fn open_turns(log: &[Record]) -> Vec<OpenTurn> {
    open_prompts(log).map(open_turn).collect()
}

/// Whether a session is within a turn.
pub(crate) fn is_at_work(log: &[Record], to: &Address) -> bool {
    open_prompts(log).any(|record| record.is_of(to))
}

fn open_prompts(log: &[Record]) -> impl Iterator<Item = &Record> {
    let is_over = |known: &Record, next: &Record| {
        let is_of_process = known.process.is_some() && known.process == next.process;
        (&known.agent, &known.session) == (&next.agent, &next.session)
            || (is_of_process && next.kind == Kind::Prompt)
    };
    let mut last: Vec<&Record> = Vec::new();
    for record in log.iter().filter(|record| record.is_of_turn()) {
        last.retain(|known| !is_over(known, record));
        last.push(record);
    }
    last.into_iter().filter(|record| is_open(record))
}

/// Returns the record of the last prompt or end of a session.
pub(crate) fn last_of<'l>(log: &'l [Record], to: &Address) -> Option<&'l Record> {
    log.iter().rev().find(|record| record.is_of(to) && record.is_of_turn())
}

fn is_open(last: &Record) -> bool {
    let age = alongside_desk::now_ms().saturating_sub(last.at);
    last.kind == Kind::Prompt
        && match last.process {
            Some(process) => age < MAX_OPEN_MS && process.runs(),
            None => age < MAX_OPEN_WITHOUT_PROCESS_MS,
        }
}

fn open_turn(record: &Record) -> OpenTurn {
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
    use crate::store::turn_log::AgentProcess;

    /// Makes a record at the beginning of this second plus `after` milliseconds.
    fn record(kind: Kind, agent: &str, session: &str, after: u64) -> Record {
        let at = alongside_desk::now_ms() / 1000 * 1000 + after;
        Record { agent: agent.into(), session: session.into(), ..Record::new(kind, at) }
    }

    #[test]
    fn a_turn_is_open_from_its_prompt_to_its_end() {
        let mut log =
            vec![record(Kind::Prompt, "Codex", "c", 1), record(Kind::Prompt, "Claude Code", "s", 2)];
        let open = |log: &[Record]| -> Vec<_> {
            open_turns(log).into_iter().map(|open| (open.told.agent, open.told.since % 1000)).collect()
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
    fn a_turn_ends_with_the_next_prompt_of_its_process_in_another_session() {
        let process = AgentProcess::of(std::process::id());
        let by = |kind, session, after| Record { process, ..record(kind, "Claude Code", session, after) };
        let mut log = vec![by(Kind::Prompt, "before /clear", 1), by(Kind::End, "another", 2)];
        let address = Address::new("Claude Code", "before /clear");
        assert!(process.is_some() && is_at_work(&log, &address));
        log.push(by(Kind::Prompt, "after /clear", 3));
        assert!(!is_at_work(&log, &address));
        log.push(by(Kind::End, "after /clear", 4));
        assert_eq!(open_turns(&log), []);
    }

    #[test]
    fn a_turn_of_an_unknown_process_is_open_for_an_hour() {
        let mut log = [record(Kind::Prompt, "Codex", "c", 0)];
        assert_eq!(open_turns(&log).len(), 1);
        log[0].at -= MAX_OPEN_WITHOUT_PROCESS_MS;
        assert_eq!(open_turns(&log), []);
    }

    #[test]
    fn a_turn_of_a_process_that_outlives_it_is_open_for_a_day() {
        let process = AgentProcess::of(std::process::id());
        let mut log = [Record { process, ..record(Kind::Prompt, "Codex", "c", 0) }];
        log[0].at -= MAX_OPEN_WITHOUT_PROCESS_MS;
        assert_eq!(open_turns(&log).len(), 1);
        log[0].at -= MAX_OPEN_MS;
        assert_eq!(open_turns(&log), []);
    }

    #[test]
    fn a_turn_ends_with_its_agent() {
        let process = Some(AgentProcess { pid: std::process::id(), started: 1 });
        let log = [Record { process, ..record(Kind::Prompt, "Codex", "c", 1) }];
        assert_eq!(open_turns(&log), []);
        assert!(!is_at_work(&log, &Address::new("Codex", "c")));
    }
}
