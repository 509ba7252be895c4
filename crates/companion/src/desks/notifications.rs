//! The queue of notifications for desks, in order. The end of a review waits until its draft is saved.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use alongside_desk::{self as desk, Closed, Problem};

use crate::ids::DeskId;
use crate::persistence::drafts::{Drafts, WrittenDraft};

/// The notifications that are not sent yet.
#[derive(Debug)]
pub(super) struct Notifications {
    queue: VecDeque<Queued>,
    /// The problems of drafts that could not be written, by the id of the draft.
    unsaved: BTreeMap<String, Problem>,
    drafts: Drafts,
}

/// A notification for the desks that were connected when it was queued. It is sent after all earlier ones.
#[derive(Debug)]
struct Queued {
    to: Vec<DeskId>,
    notification: Notification,
}

/// The content of a notification.
#[derive(Debug)]
enum Notification {
    Event(Box<desk::Event>),
    ReviewEnded { closed: Closed, decided_by: Option<DeskId>, awaits: Option<AwaitedDraft> },
}

impl Notification {
    /// Returns the event for a desk.
    fn event_for(&self, desk: DeskId) -> desk::Event {
        match self {
            Self::Event(event) => (**event).clone(),
            Self::ReviewEnded { closed, decided_by, .. } => {
                let decided_here = *decided_by == Some(desk);
                let decided_in = closed.decided_in.clone().filter(|_| !decided_here);
                desk::Event::Closed(Closed { decided_here, decided_in, ..closed.clone() })
            }
        }
    }
}

/// The id of a draft and the number of one version of it.
pub(crate) type DraftVersion = (String, u64);
/// A draft that has to be written before desks get its path, and the reviewed file.
pub(crate) type AwaitedDraft = (DraftVersion, String);

impl Notifications {
    pub(super) fn new(drafts: Drafts) -> Self {
        Self { queue: VecDeque::new(), unsaved: BTreeMap::new(), drafts }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Iterates over the problems of drafts, for a desk that joins.
    pub(super) fn unsaved(&self) -> impl Iterator<Item = &Problem> {
        self.unsaved.values()
    }

    pub(super) fn forget_draft(&mut self, draft: &str) {
        self.unsaved.remove(draft);
    }

    pub(super) fn push(&mut self, to: Vec<DeskId>, event: desk::Event) {
        self.queue.push_back(Queued { to, notification: Notification::Event(Box::new(event)) });
    }

    /// Returns the path of the text of a draft.
    pub(super) fn draft_path(&self, draft: &str, file: &str) -> PathBuf {
        self.drafts.path_of(draft, file)
    }

    /// Queues the end of a review of this file. If the review leaves a draft, the notification waits for the
    /// draft and names it.
    pub(super) fn push_end(
        &mut self,
        to: Vec<DeskId>,
        closed: Closed,
        decided_by: Option<DeskId>,
        awaits: Option<AwaitedDraft>,
    ) {
        let notification = Notification::ReviewEnded { closed, decided_by, awaits };
        self.queue.push_back(Queued { to, notification });
    }

    /// Takes the writer's result for a draft. Returns the problem for desks, or the message that an earlier
    /// problem is over.
    pub(super) fn end_draft_write(&mut self, written: WrittenDraft) -> Option<Problem> {
        let path = self.drafts.path_of(&written.id, &written.file);
        for queued in &mut self.queue {
            if let Notification::ReviewEnded { closed, awaits, .. } = &mut queued.notification
                && awaits
                    .as_ref()
                    .is_some_and(|((id, number), _)| (id, *number) == (&written.id, written.number))
            {
                *awaits = None;
                closed.draft = written.error.is_none().then(|| path.clone());
            }
        }
        match written.error {
            Some(error) if !self.unsaved.contains_key(&written.id) => {
                let problem = not_saved_problem(&written.file, &path, &error);
                self.unsaved.insert(written.id, problem.clone());
                Some(problem)
            }
            None if self.unsaved.remove(&written.id).is_some() => Some(saved_problem(&written.file, &path)),
            _ => None,
        }
    }

    /// Ends the wait for this version of a draft: desks get the end of its review without the path of the
    /// draft.
    pub(super) fn give_up_draft(&mut self, awaited: &DraftVersion, desks: &[DeskId]) {
        let awaits = |queued: &Queued| match &queued.notification {
            Notification::ReviewEnded { awaits: Some((draft, _)), .. } => draft == awaited,
            _ => false,
        };
        if let Some(index) = self.queue.iter().position(awaits) {
            self.give_up(index, desks);
        }
    }

    /// Ends the wait of all notifications for their drafts, because the main loop ends.
    pub(super) fn give_up_all_drafts(&mut self, desks: &[DeskId]) {
        let mut index = 0;
        while index < self.queue.len() {
            self.give_up(index, desks);
            index += 1;
        }
    }

    fn give_up(&mut self, index: usize, desks: &[DeskId]) {
        if let Some(queued) = self.queue.get_mut(index)
            && let Notification::ReviewEnded { awaits, .. } = &mut queued.notification
            && let Some(((id, _), file)) = awaits.take()
            && !self.unsaved.contains_key(&id)
        {
            let path = self.drafts.path_of(&id, &file);
            let problem = not_saved_problem(&file, &path, "the disk has not answered yet");
            self.unsaved.insert(id, problem.clone());
            let notification = Notification::Event(Box::new(desk::Event::Problem(problem)));
            self.queue.insert(index + 1, Queued { to: desks.to_vec(), notification });
        }
    }

    /// Sends each notification to the desks that get it, up to the first one that waits for a draft.
    pub(super) fn send_ready(&mut self, mut send: impl FnMut(DeskId, desk::Event)) {
        let is_ready = |queued: &Queued| {
            !matches!(queued.notification, Notification::ReviewEnded { awaits: Some(_), .. })
        };
        while self.queue.front().is_some_and(is_ready)
            && let Some(Queued { to, notification }) = self.queue.pop_front()
        {
            for desk in to {
                send(desk, notification.event_for(desk));
            }
        }
    }
}

fn not_saved_problem(file: &str, path: &Path, why: &str) -> Problem {
    Problem::new(
        format!("your edits of {file} could not be saved in {}: {why}", path.display()),
        "They stay in memory while this companion runs, which retries every 2 s. Make sure that the \
         directory exists, is writable and has room.",
    )
}

fn saved_problem(file: &str, path: &Path) -> Problem {
    Problem::without_hint(format!("your edits of {file} are saved now: {}", path.display()))
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Closing, ReviewId};

    use super::*;

    const DESK: DeskId = DeskId(1);

    fn notifications() -> Notifications {
        let directory = Path::new("/nonexistent");
        let mut notifications = Notifications::new(Drafts::open(&crate::AppDirs::below(directory)));
        let closed = Closed {
            id: ReviewId(1),
            closing: Closing::Rejected,
            decided_here: false,
            decided_in: None,
            draft: None,
            follows: alongside_desk::Follows::Write,
        };
        let draft = Some((("1-1".to_owned(), 7), "/p/a.txt".to_owned()));
        notifications.push_end(vec![DESK, DeskId(2)], closed, Some(DESK), draft);
        notifications.push(vec![DESK], desk::Event::FlushReview { id: ReviewId(2) });
        notifications
    }

    fn written_draft(number: u64, error: Option<&str>) -> WrittenDraft {
        let error = error.map(str::to_owned);
        WrittenDraft { id: "1-1".into(), number, file: "/p/a.txt".into(), error }
    }

    /// Returns for each end sent now whether it was decided there and whether it names a draft, and the
    /// events that follow.
    fn sent(notifications: &mut Notifications) -> (Vec<(bool, bool)>, Vec<desk::Event>) {
        let (mut ends, mut others) = (Vec::new(), Vec::new());
        notifications.send_ready(|_, event| match event {
            desk::Event::Closed(closed) if others.is_empty() => {
                ends.push((closed.decided_here, closed.draft.is_some()));
            }
            other => others.push(other),
        });
        (ends, others)
    }

    #[test]
    fn end_of_review_waits_for_its_draft_and_keeps_the_order() {
        let mut notifications = notifications();
        assert_eq!(sent(&mut notifications), (vec![], vec![]));
        assert_eq!(notifications.end_draft_write(written_draft(6, None)), None, "an older version");
        assert_eq!(sent(&mut notifications), (vec![], vec![]));
        notifications.end_draft_write(written_draft(7, None));
        let flush = desk::Event::FlushReview { id: ReviewId(2) };
        assert_eq!(sent(&mut notifications), (vec![(true, true), (false, true)], vec![flush]));
        assert!(notifications.is_empty());
    }

    #[test]
    fn draft_that_cannot_be_written_is_not_named() {
        let mut notifications = notifications();
        let problem = notifications.end_draft_write(written_draft(7, Some("full"))).unwrap();
        assert!(problem.what.contains("/p/a.txt") && problem.what.ends_with("full"), "{problem:?}");
        assert_eq!(sent(&mut notifications).0, [(true, false), (false, false)]);
        assert_eq!(notifications.unsaved().count(), 1);
        assert!(
            notifications.end_draft_write(written_draft(8, None)).unwrap().what.contains("are saved now")
        );
        assert_eq!(notifications.unsaved().count(), 0);
    }

    #[test]
    fn draft_that_takes_too_long_is_reported_after_the_end() {
        let mut notifications = notifications();
        notifications.give_up_draft(&("1-1".into(), 7), &[DESK]);
        let (ends, next) = sent(&mut notifications);
        assert_eq!(ends, [(true, false), (false, false)]);
        assert!(matches!(next[0], desk::Event::Problem(_)), "{next:?}");
    }
}
