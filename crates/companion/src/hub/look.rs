//! Looking at the disk, beside the loop: which files may be told, what they are really called, whether
//! targets have changed. The loop itself only asks whether targets are there and unchanged, and goes on while
//! somebody reads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use alongside_contract::context::IdeContext;
use alongside_desk::{self as desk, Decision, Request, ReviewId};
use tokio::time::Instant;

use super::{DeskId, Event, State};
use crate::context::Seen;
use crate::context::privacy::Privacy;
use crate::review::target::{self, Fingerprint};

/// What is being looked at, and what waits for it.
#[derive(Debug)]
pub(super) struct Looking {
    /// Not locked by the loop.
    pub(super) privacy: Arc<Mutex<Privacy>>,
    /// Files are being looked at.
    files: bool,
    /// They have changed since that began.
    files_again: bool,
    /// What comes of it must not be told: other rules hold by now, or nobody has anything open any more.
    is_void: bool,
    /// Acceptances that wait until their target is read.
    decisions: Vec<(ReviewId, DeskId, desk::Call)>,
}

impl Looking {
    pub(super) fn new(privacy: Privacy) -> Self {
        let privacy = Arc::new(Mutex::new(privacy));
        Self { privacy, files: false, files_again: false, is_void: false, decisions: Vec::new() }
    }
}

impl State {
    /// Looks which files may be told; what comes of it is told when it is known.
    pub(super) fn refresh_context(&mut self) {
        if std::mem::replace(&mut self.looking.files, true) {
            self.looking.files_again = true;
            return;
        }
        let (files, privacy) = (self.files.clone(), self.looking.privacy.clone());
        let (events, watch) = (self.events.clone(), self.watch.clone());
        let (roots, kept_in) = (self.roots.clone(), self.kept_in.clone());
        tokio::task::spawn_blocking(move || {
            let mut privacy = privacy.lock().unwrap_or_else(PoisonError::into_inner);
            let seen = files.look(&mut privacy);
            let mut watched = seen.depends_on(&roots);
            events.send(Event::FilesSeen(Box::new(seen)));
            watched.extend(roots.into_iter().chain(kept_in));
            // What was not heard before may have changed since it was looked at.
            if watch.set(watched) {
                events.send(Event::DiskChanged);
            }
        });
    }

    pub(super) fn files_seen(&mut self, seen: Seen) {
        self.files.know(seen.real);
        self.look_for_unsaved_changes();
        // It may have been paused meanwhile.
        let tells = !std::mem::take(&mut self.looking.is_void) && !self.files.is_paused();
        self.tell_context(if tells { seen.context } else { self.files.no_files() });
        self.looking.files = false;
        if std::mem::take(&mut self.looking.files_again) {
            self.refresh_context();
        }
    }

    /// Gives every agent this context; those that have it already are not told again. Desks are told with the
    /// status.
    fn tell_context(&mut self, context: IdeContext) {
        self.told_files = crate::context::told(&context);
        let (context, now) = (Arc::new(context), Instant::now());
        for session in self.sessions.values_mut() {
            session.outbox.set_context(context.clone());
            session.pump(now);
        }
        self.context = context;
    }

    /// From now on other rules say what may be told; what was told by the last ones counts no more.
    pub(super) fn set_privacy(&mut self, privacy: Privacy) {
        self.looking.privacy = Arc::new(Mutex::new(privacy));
        self.tell_context(self.files.no_files());
        self.void_looking();
        self.refresh_context();
    }

    /// What comes of looking at files just now must not be told.
    pub(super) fn void_looking(&mut self) {
        self.looking.is_void = self.looking.files;
    }

    pub(super) fn look_for_unsaved_changes(&mut self) {
        let files = &self.files;
        let changed: Vec<_> = self
            .reviews
            .iter_mut()
            .filter_map(|review| {
                let dirty = files.is_dirty(review.file_path(), review.real_path());
                review.set_dirty(dirty).then_some(review.id)
            })
            .collect();
        changed.into_iter().for_each(|id| self.tell_changed(id));
    }

    /// Has those targets of waiting reviews read again that may have changed.
    pub(super) fn look_at_targets(&mut self) {
        let outdated: HashMap<_, _> = self
            .reviews
            .iter_mut()
            .filter_map(|review| review.wants_reading().then(|| (review.id, review.file_path().to_owned())))
            .collect();
        for (review, file_path) in outdated {
            self.read_target(review, file_path);
        }
    }

    fn read_target(&self, review: ReviewId, file_path: String) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || {
            events.send(Event::TargetRead { review, seen: target::look(&file_path) });
        });
    }

    pub(super) fn target_read(&mut self, review: ReviewId, seen: Fingerprint) {
        if self.reviews.get(review).is_ok_and(|pending| pending.has_read(seen)) {
            self.tell_changed(review);
        }
        let waiting: Vec<_> = self.looking.decisions.extract_if(.., |(of, ..)| *of == review).collect();
        for (_, desk, call) in waiting {
            self.answer(desk, call);
        }
    }

    /// Nobody accepts what replaces a file they have not seen: what may have changed is read before. Returns
    /// what need not wait for that.
    pub(super) fn after_reading(&mut self, desk: DeskId, call: desk::Call) -> Option<desk::Call> {
        let Request::DecideReview { id, decision: Decision::Accept, .. } = call.request else {
            return Some(call);
        };
        let Ok(pending) = self.reviews.get(id) else { return Some(call) };
        let begins = pending.wants_reading().then(|| pending.file_path().to_owned());
        if !pending.is_read() {
            return Some(call);
        }
        self.looking.decisions.push((id, desk, call));
        if let Some(file_path) = begins {
            self.read_target(id, file_path);
        }
        None
    }
}
