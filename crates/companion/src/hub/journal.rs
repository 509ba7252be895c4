//! What the loop writes down for a life after a crash, and what it takes over from the one before.

use std::collections::BTreeSet;

use alongside_contract::family::FAMILIES;
use alongside_desk::{self as desk, Problem};
use tokio::time::Instant;

use super::State;
use super::reviews::{draft_id, refused};
use crate::drafts::{Drafts, NewDraft};
use crate::journal::{Changes, Journal, KnownSession, Undecided, Unsettled};
use crate::mcp::gate::Proof;
use crate::scribe::Job;
use crate::session::Session;

impl State {
    /// Takes over what a crashed companion left behind. Its sessions go on; what was undecided is rejected,
    /// which is the only way to free an agent that waits for it.
    pub(super) fn adopt(&mut self, journal: Journal) {
        self.reviews.go_on_after(journal.last_review);
        if journal.is_damaged {
            self.news.push(lost_memory("it is damaged, or of another release", &self.drafts));
        }
        for known in &journal.sessions {
            self.save_lost_drafts(known);
        }
        if *journal.token != *self.token {
            self.mourn(journal);
            return;
        }
        let undecided = journal.sessions.iter().flat_map(|known| &known.undecided);
        let lost: Vec<_> = undecided.map(|open| open.file_path.as_str()).collect();
        if !journal.sessions.is_empty() {
            let happened =
                if journal.handed_over { "was replaced by a newer one" } else { "was interrupted" };
            self.news.push(Problem {
                what: match lost.as_slice() {
                    [] => format!("the companion {happened} while agents were connected, and is back"),
                    lost => {
                        format!("the companion {happened}, and what waited is rejected: {}", lost.join(", "))
                    }
                },
                hint: Some(format!(
                    "An agent that calls itself disconnected comes back with `/ide enable`.{}",
                    self.where_typed(&journal)
                )),
            });
        }
        for mut known in journal.sessions {
            self.last_session += 1;
            let (undecided, unsettled) =
                (std::mem::take(&mut known.undecided), std::mem::take(&mut known.unsettled));
            let mut session = returning(known, self.last_session);
            session.outbox.receipts = self.receipts;
            for open in undecided {
                let messages = refused(open.file_path.clone(), session.hears_that_diffs_close());
                session.outbox.push(&open.file_path, messages, 0);
                session.remember(&open.file_path, open.text);
            }
            for unsettled in unsettled {
                session.outbox.push(&unsettled.file_path, unsettled.messages, 0);
                session.remember(&unsettled.file_path, unsettled.text);
            }
            self.sessions.insert(session.id.clone(), session);
        }
    }

    /// What was typed before a crash, and is in the journal only.
    fn save_lost_drafts(&mut self, known: &KnownSession) {
        for open in &known.undecided {
            let Some(id) = open.draft.clone().filter(|id| self.drafts.read(id).is_err()) else { continue };
            self.last_draft += 1;
            let draft = NewDraft {
                id,
                number: self.last_draft,
                file: open.file_path.clone(),
                agent: known.client.name.clone(),
                why: "the companion was interrupted".into(),
                awaited: false,
                text: open.text.clone(),
            };
            self.scribe.send(Job::SaveDraft(draft, None));
        }
    }

    /// Where what was typed before a crash is, for the end of a hint; nothing if there is none.
    fn where_typed(&self, journal: &Journal) -> &'static str {
        let drafts = self.drafts.list().unwrap_or_default();
        let has_draft = |open: &Undecided| {
            open.draft.is_some() || drafts.iter().any(|draft| draft.file == open.file_path)
        };
        match journal.sessions.iter().flat_map(|known| &known.undecided).any(has_draft) {
            true => " What you had typed is in `alongside drafts`.",
            false => "",
        }
    }

    /// Says who is cut off: agents know the token of before the crash, and somebody else may know it by now.
    fn mourn(&mut self, journal: Journal) {
        let typed = self.where_typed(&journal);
        let undecided =
            journal.sessions.iter().flat_map(|known| &known.undecided).map(|open| &open.file_path);
        let untold =
            journal.sessions.iter().flat_map(|known| &known.unsettled).map(|untold| &untold.file_path);
        let waited: Vec<_> = undecided.chain(untold).cloned().collect();
        let mut agents: Vec<_> =
            journal.sessions.into_iter().map(|known| returning(known, 0).agent().name).collect();
        agents.sort();
        agents.dedup();
        if agents.is_empty() {
            return;
        }
        let why = match journal.port == self.port {
            true => "no desk was left to hold its port, so it has a new token".to_owned(),
            false => format!("it could not get its port {} back", journal.port),
        };
        let what = format!(
            "the companion was interrupted and {why}: {} cannot reach it any more",
            agents.join(" and ")
        );
        let unanswered = match waited.as_slice() {
            [] => String::new(),
            waited => format!(" What was left unanswered: {}.", waited.join(", ")),
        };
        let hint = format!("`/ide enable` connects an agent again.{unanswered}{typed}");
        self.news.push(Problem { what, hint: Some(hint) });
    }

    /// Writes down what a companion must know that comes after a crash of this one. Answers that speak of it
    /// are given when it is on disk, and so are those that speak of drafts.
    pub(super) fn write_journal(&mut self) {
        let hands_over = self.stopping.as_ref().is_some_and(|stopping| stopping.hands_over);
        if self.journal_is_underway || hands_over {
            return;
        }
        let journal = (!self.stale.is_empty() && self.keeps_journal).then(|| self.changes());
        if journal.is_none() && self.held_answers.is_empty() {
            return;
        }
        self.journal_is_underway = journal.is_some();
        self.scribe.send(Job::WriteJournal(journal, std::mem::take(&mut self.held_answers)));
    }

    /// The same at the end, when nobody waits for the one before; but a companion that stops leaves none.
    pub(super) fn write_last(&mut self) {
        let hands_over = self.stopping.as_ref().is_some_and(|stopping| stopping.hands_over);
        self.stale.everything();
        let journal = (hands_over && self.keeps_journal).then(|| self.changes());
        self.scribe.send(Job::WriteJournal(journal, std::mem::take(&mut self.held_answers)));
    }

    /// The journal is on disk, or why not.
    pub(super) fn journal_written(&mut self, error: Option<String>) {
        self.journal_is_underway = false;
        for id in std::mem::take(&mut self.underway) {
            if let Some(session) = self.sessions.get_mut(&id) {
                // Where it cannot be written, agents do not wait for it.
                session.outbox.is_recorded();
                session.pump(Instant::now());
            }
        }
        match (error, self.journal_problem.is_some()) {
            (Some(error), false) => {
                let problem = Problem {
                    what: format!("what a crash must not take cannot be written down: {error}"),
                    hint: Some(
                        "Until it can, which is tried every second, an agent whose proposal is open at a crash waits for good, or \
                         until `/ide enable`. See that there is room in the state directory, and that it is there and writable."
                            .into(),
                    ),
                };
                self.tell_desks(&desk::Event::Problem(problem.clone()));
                self.journal_problem = Some(problem);
            }
            (None, true) => {
                self.journal_problem = None;
                let what = "what a crash must not take is written down again".into();
                self.tell_desks(&desk::Event::Problem(Problem { what, hint: None }));
            }
            _ => {}
        }
    }

    /// The disk is full, and so many bytes are still held for what is typed; or there is room again.
    pub(super) fn disk_short(&mut self, held: Option<u64>) {
        let problem = held.map(|held| Problem {
            what: format!(
                "the disk is full: what you type is saved in room that was kept for it in {}, of which \
                 {} KiB are left",
                self.drafts.directory().parent().unwrap_or(&self.drafts.directory()).display(),
                held >> 10
            ),
            hint: Some(
                "Make room there. When that is used up, what you type is in memory only; a crash loses it."
                    .into(),
            ),
        });
        let said = problem.clone().unwrap_or_else(|| Problem {
            what: "there is room on the disk again, and some is kept for what you type".into(),
            hint: None,
        });
        self.disk_problem = problem;
        self.tell_desks(&desk::Event::Problem(said));
    }

    /// What has changed since this was asked last.
    fn changes(&mut self) -> Changes {
        let Stale { is_all, sessions: stale } = std::mem::take(&mut self.stale);
        let stale: Vec<_> =
            if is_all { self.sessions.keys().cloned().collect() } else { stale.into_iter().collect() };
        let (there, gone): (Vec<_>, Vec<_>) =
            stale.into_iter().partition(|id| self.sessions.contains_key(id));
        for id in &there {
            if let Some(session) = self.sessions.get_mut(id) {
                session.outbox.is_being_recorded();
            }
        }
        self.underway.clone_from(&there);
        let journal = Journal {
            port: self.port,
            addresses: self.addresses.clone(),
            is_damaged: false,
            handed_over: self.stopping.as_ref().is_some_and(|stopping| stopping.hands_over),
            token: self.token.to_string(),
            last_review: self.reviews.last(),
            sessions: there
                .iter()
                .filter_map(|id| self.sessions.get(id))
                .map(|one| self.known(one))
                .collect(),
        };
        Changes { journal, gone, is_all }
    }

    fn known(&self, session: &Session) -> KnownSession {
        let undecided = self.reviews.iter().filter(|review| review.session == session.id);
        let unsettled = session.outbox.unsettled().map(|(file_path, messages)| Unsettled {
            file_path: file_path.to_owned(),
            messages: messages.to_vec(),
            text: session.remembered(file_path).unwrap_or_default(),
        });
        KnownSession {
            id: session.id.clone(),
            client: session.client.clone(),
            version: session.version.clone(),
            tokenless: session.tokenless,
            family: session.family.map(|family| family.id.to_owned()),
            undecided: undecided
                .map(|review| Undecided {
                    file_path: review.file_path().to_owned(),
                    text: review.current().clone(),
                    draft: review.has_edits().then(|| draft_id(self.started, review.id)),
                })
                .collect(),
            unsettled: unsettled.collect(),
        }
    }
}

/// What in the journal is not as it is.
#[derive(Debug, Default)]
pub(super) struct Stale {
    is_all: bool,
    sessions: BTreeSet<String>,
}

impl Stale {
    /// Something about this session has changed.
    pub(super) fn session(&mut self, id: &str) {
        if !self.sessions.contains(id) {
            self.sessions.insert(id.to_owned());
        }
    }

    /// Nobody knows what is there.
    pub(super) fn everything(&mut self) {
        self.is_all = true;
    }

    fn is_empty(&self) -> bool {
        !self.is_all && self.sessions.is_empty()
    }
}

/// Said when nobody knows who was connected before a crash.
pub(super) fn lost_memory(why: &str, drafts: &Drafts) -> Problem {
    // Nobody knows of which review they are.
    let typed = match drafts.list() {
        Ok(drafts) if drafts.is_empty() => "",
        _ => " What you had typed, if anything, is in `alongside drafts`.",
    };
    Problem {
        what: format!("the companion was interrupted, and what it had written down cannot be used: {why}"),
        hint: Some(format!("Agents that were connected come back with `/ide enable`.{typed}")),
    }
}

/// A session of before a crash. Until it is heard of, it may as well be gone.
fn returning(known: KnownSession, number: u64) -> Session {
    let family = FAMILIES.iter().find(|family| Some(family.id) == known.family.as_deref());
    let proof = if known.tokenless { Proof::Nothing } else { Proof::Token(family) };
    let mut session = Session::new(known.id, number, known.client, known.version, proof);
    session.is_back = false;
    session.was_heard = true;
    session
}
