//! What desks are told, in order, and nothing that is not so: where edits lie is said when they lie there.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

use alongside_desk::{self as desk, Closed, Problem};
use tokio::sync::oneshot;

use super::{DeskId, Event, State};
use crate::scribe::Written;

/// How long the end of a review waits for its edits to be written; then it is told without saying where they
/// are.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// What desks shall be told, and which edits are not on disk.
#[derive(Debug, Default)]
pub(super) struct Telling {
    held: VecDeque<Held>,
    /// What is wrong with drafts that could not be written, by their ids.
    unsaved: BTreeMap<String, Problem>,
}

/// Told to those who were there when it happened, and after what happened before.
#[derive(Debug)]
struct Held {
    to: Vec<DeskId>,
    what: What,
}

#[derive(Debug)]
enum What {
    Event(desk::Event),
    /// The end of a review.
    End {
        closed: Closed,
        decided: Option<DeskId>,
        waits: Option<Waits>,
    },
}

/// For a draft to be written.
#[derive(Debug)]
struct Waits {
    draft: (String, u64),
    file: String,
}

impl Telling {
    fn is_waiting(&self) -> bool {
        matches!(self.held.front(), Some(Held { what: What::End { waits: Some(_), .. }, .. }))
    }

    pub(super) fn is_done(&self) -> bool {
        self.held.is_empty()
    }

    /// What a desk that joins has to know.
    pub(super) fn unsaved(&self) -> impl Iterator<Item = &Problem> {
        self.unsaved.values()
    }

    /// A draft is not needed any more.
    pub(super) fn forget(&mut self, draft: &str) {
        self.unsaved.remove(draft);
    }
}

impl State {
    pub(super) fn tell_desks(&mut self, event: &desk::Event) {
        // Whose proposal it is, and how many there are, is known by then.
        if matches!(event, desk::Event::Opened(_)) && self.status_waits {
            self.tell_status_now();
        }
        let to = self.desks.keys().copied().collect();
        self.telling.held.push_back(Held { to, what: What::Event(event.clone()) });
        self.tell_held();
    }

    /// Tells that a review has ended. Edits that were written for it are named once they are there.
    pub(super) fn tell_end(
        &mut self,
        closed: Closed,
        decided: Option<DeskId>,
        draft: Option<(String, u64)>,
        file: &str,
    ) {
        let waits = draft.map(|draft| Waits { draft, file: file.to_owned() });
        let to = self.desks.keys().copied().collect();
        self.telling.held.push_back(Held { to, what: What::End { closed, decided, waits } });
        self.tell_held();
    }

    /// The scribe has written a draft, or could not.
    pub(super) fn draft_written(&mut self, written: Written) {
        let path = self.drafts.path_of(&written.id, &written.file);
        for held in &mut self.telling.held {
            if let What::End { closed, waits, .. } = &mut held.what
                && waits.as_ref().is_some_and(|waits| waits.draft == (written.id.clone(), written.number))
            {
                *waits = None;
                closed.draft = written.error.is_none().then(|| path.clone());
            }
        }
        match written.error {
            Some(error) if !self.telling.unsaved.contains_key(&written.id) => {
                let problem = not_saved(&written.file, &path, &error);
                self.telling.unsaved.insert(written.id, problem.clone());
                self.tell_desks(&desk::Event::Problem(problem));
            }
            None if self.telling.unsaved.remove(&written.id).is_some() => {
                let what = format!("what you typed in {} is saved now: {}", written.file, path.display());
                self.tell_desks(&desk::Event::Problem(Problem { what, hint: None }));
            }
            _ => self.tell_held(),
        }
    }

    /// Has somebody wait until a draft is written, but not for good.
    pub(super) fn wait_for_draft(&self, id: &str, number: u64) -> oneshot::Sender<()> {
        let (written, waits) = oneshot::channel();
        let (events, draft) = (self.events.clone(), (id.to_owned(), number));
        tokio::spawn(async move {
            // Written or not, what came of it is said before this.
            let _ = tokio::time::timeout(WRITTEN_WITHIN, waits).await;
            events.send(Event::DraftAwaited(draft));
        });
        written
    }

    /// Goes on where nobody knows whether a draft is written.
    pub(super) fn draft_awaited(&mut self, awaited: &(String, u64)) {
        let waits = |held: &Held| match &held.what {
            What::End { waits: Some(waits), .. } => waits.draft == *awaited,
            _ => false,
        };
        if let Some(at) = self.telling.held.iter().position(waits) {
            self.give_up_waiting(at);
        }
    }

    /// Tells everything that is still held.
    pub(super) fn tell_the_rest(&mut self) {
        while self.telling.is_waiting() {
            self.give_up_waiting(0);
        }
    }

    fn give_up_waiting(&mut self, at: usize) {
        let Some(Held { what: What::End { waits, .. }, .. }) = self.telling.held.get_mut(at) else { return };
        if let Some(waits) = waits.take()
            && !self.telling.unsaved.contains_key(&waits.draft.0)
        {
            let path = self.drafts.path_of(&waits.draft.0, &waits.file);
            let problem = not_saved(&waits.file, &path, "the disk has not answered yet");
            self.telling.unsaved.insert(waits.draft.0, problem.clone());
            let to = self.desks.keys().copied().collect();
            self.telling.held.insert(at + 1, Held { to, what: What::Event(desk::Event::Problem(problem)) });
        }
        self.tell_held();
    }

    fn tell_held(&mut self) {
        while !self.telling.is_waiting()
            && let Some(Held { to, what }) = self.telling.held.pop_front()
        {
            for id in to {
                // A desk that is gone needs not be told, or will be reported as such.
                let Some(seated) = self.desks.get(&id) else { continue };
                let event = match &what {
                    What::Event(event) => event.clone(),
                    What::End { closed, decided, .. } => {
                        desk::Event::Closed(Closed { decided_here: *decided == Some(id), ..closed.clone() })
                    }
                };
                let _ = seated.events.send(event);
            }
        }
    }
}

fn not_saved(file: &str, path: &Path, why: &str) -> Problem {
    Problem {
        what: format!("what you typed in {file} could not be saved in {}: {why}", path.display()),
        hint: Some(
            "It is kept in memory as long as this companion runs, and saving is tried again every few seconds. See that there \
             is room, and that the directory is there and writable."
                .into(),
        ),
    }
}
