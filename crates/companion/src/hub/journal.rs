//! What the loop writes down for a life after a crash, and what it takes over from the one before.

use alongside_contract::diff::{DIFF_REJECTED, DiffRejected};
use alongside_contract::family::FAMILIES;
use alongside_contract::rpc;
use alongside_desk::Problem;

use super::State;
use crate::journal::{Journal, KnownSession, Undecided, Unsettled};
use crate::mcp::gate::Proof;
use crate::scribe::Job;
use crate::session::Session;

impl State {
    /// Takes over what a crashed companion left behind. Its sessions go on; what was undecided is rejected, which is
    /// the only way to free an agent that waits for it.
    pub(super) fn adopt(&mut self, journal: Journal) {
        let lost: Vec<_> = journal.undecided.iter().map(|open| open.file_path.as_str()).collect();
        if !journal.sessions.is_empty() {
            self.problems.push(Problem {
                what: match lost.as_slice() {
                    [] => "the companion was interrupted while agents were connected, and is back".into(),
                    lost => format!("the companion was interrupted, and what waited is rejected: {}", lost.join(", ")),
                },
                hint: Some(
                    "An agent that calls itself disconnected comes back with `/ide enable`. What you had typed, if anything, \
                     is in `alongside drafts`."
                        .into(),
                ),
            });
        }
        for known in journal.sessions {
            self.last_session += 1;
            let family = FAMILIES.iter().find(|family| Some(family.id) == known.family.as_deref());
            let proof = if known.tokenless { Proof::Nothing } else { Proof::Token(family) };
            let mut session = Session::new(known.id, self.last_session, known.client, known.version, proof);
            // Until it is heard of, it may as well be gone.
            session.is_back = false;
            self.sessions.insert(session.id.clone(), session);
        }
        for open in journal.undecided {
            let Some(session) = self.sessions.get_mut(&open.session) else {
                continue;
            };
            let rejected = DiffRejected { file_path: open.file_path.clone() };
            session.outbox.push(&open.file_path, vec![rpc::notification(DIFF_REJECTED, &rejected)], 0);
            session.remember(&open.file_path, open.text.into());
        }
        for unsettled in journal.unsettled {
            let Some(session) = self.sessions.get_mut(&unsettled.session) else {
                continue;
            };
            session.outbox.push(&unsettled.file_path, unsettled.messages, 0);
            session.remember(&unsettled.file_path, unsettled.text.into());
        }
    }

    /// Writes down what a companion must know that comes after a crash of this one.
    /// Answers that depend on it are given when it is on disk.
    pub(super) fn write_journal(&mut self) {
        let answers = std::mem::take(&mut self.held_answers);
        if !std::mem::take(&mut self.journal_is_stale) || !self.keeps_journal {
            answers.give();
            return;
        }
        let sessions = self.sessions.values().map(|session| KnownSession {
            id: session.id.clone(),
            client: session.client.clone(),
            version: session.version.clone(),
            tokenless: session.tokenless,
            family: session.family.map(|family| family.id.to_owned()),
        });
        let undecided = self.reviews.iter().map(|review| Undecided {
            session: review.session.clone(),
            file_path: review.file_path().to_owned(),
            text: review.current().to_string(),
        });
        let unsettled = self.sessions.values().flat_map(|session| {
            session.outbox.unsettled().map(|(file_path, messages)| Unsettled {
                session: session.id.clone(),
                file_path: file_path.to_owned(),
                messages: messages.to_vec(),
                text: session.remembered(file_path).map(|text| text.to_string()).unwrap_or_default(),
            })
        });
        let journal = Journal {
            port: self.port,
            token: self.token.to_string(),
            sessions: sessions.collect(),
            undecided: undecided.collect(),
            unsettled: unsettled.collect(),
        };
        self.scribe.send(Job::WriteJournal(journal, answers));
    }
}
