//! The jobs that are under way for turn reviews, the requests that wait for their results, and all effects of
//! turn reviews until the main loop carries them out.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{CallAnswer, Event, Refusal, TurnId};

use super::effect::TurnEffect;
use super::job::{JobKind, LookKey, TurnJob};
use super::single_runs::SingleRuns;
use super::source::TurnSource;
use super::turn_review::TurnReview;
use crate::ids::DeskId;

/// The jobs that are under way, and the effects that are not carried out yet.
#[derive(Debug)]
pub(super) struct PendingJobs {
    source: Option<Arc<dyn TurnSource>>,
    /// The roots, with symbolic links resolved.
    roots: Arc<[PathBuf]>,
    /// The number of the newest look.
    last_look_number: u64,
    looks: SingleRuns<LookKey, LookRequest>,
    reads: SingleRuns<FileKey, TurnCall>,
    effects: Vec<TurnEffect>,
}

/// A file of a turn review, by its path below the top of the working tree.
pub(super) type FileKey = (TurnId, PathBuf);

/// A request of a desk that waits for its answer.
#[derive(Debug)]
pub(super) struct TurnCall {
    pub(super) desk: DeskId,
    pub(super) answer: CallAnswer,
}

/// A request that waits for a look.
#[derive(Debug)]
pub(super) enum LookRequest {
    Desk(TurnCall),
    /// A request to finish this turn review, which is answered after the look.
    Finish {
        turn: TurnId,
        answer: CallAnswer,
    },
}

impl PendingJobs {
    pub(super) fn new(source: Option<Arc<dyn TurnSource>>, roots: Arc<[PathBuf]>) -> Self {
        let (last_look_number, looks, reads, effects) = Default::default();
        Self { source, roots, last_look_number, looks, reads, effects }
    }

    pub(super) fn roots(&self) -> &Arc<[PathBuf]> {
        &self.roots
    }

    pub(super) fn set_roots(&mut self, roots: Arc<[PathBuf]>) {
        self.roots = roots;
    }

    pub(super) fn has_source(&self) -> bool {
        self.source.is_some()
    }

    // Effects.

    pub(super) fn take_effects(&mut self) -> Vec<TurnEffect> {
        std::mem::take(&mut self.effects)
    }

    /// Adds a job to the effects. Without a source, does nothing.
    pub(super) fn push_job(&mut self, kind: JobKind) {
        if let Some(source) = self.source.clone() {
            self.effects.push(TurnEffect::Run(Box::new(TurnJob { source, kind })));
        }
    }

    /// Adds the watch of an agent's process to the effects.
    pub(super) fn watch_agent(&mut self, pid: u32) {
        self.effects.push(TurnEffect::WatchAgent(pid));
    }

    /// Adds an event for these desks to the effects. Without a desk, does nothing.
    pub(super) fn send(&mut self, desks: BTreeSet<DeskId>, event: Event) {
        if !desks.is_empty() {
            self.effects.push(TurnEffect::Send(desks, Box::new(event)));
        }
    }

    /// Adds the answer to a request to the effects.
    pub(super) fn answer(&mut self, answer: CallAnswer, revision: Result<u64, Refusal>) {
        self.effects.push(TurnEffect::Answer(answer, revision));
    }

    /// Adds the refusals of requests to open a file to the effects.
    pub(super) fn refuse(&mut self, open_requests: Vec<TurnCall>, refusal: &Refusal) {
        for call in open_requests {
            self.answer(call.answer, Err(refusal.clone()));
        }
    }

    // Looks.

    /// Returns the key of the look that a desk requests. Without a directory, the first root is looked at.
    ///
    /// # Errors
    /// If there is nothing to look at.
    pub(super) fn look_key(
        &self,
        directory: Option<String>,
        since: Option<String>,
    ) -> Result<LookKey, Refusal> {
        let unknown = |reason: &str| Refusal::TurnUnknown { reason: reason.to_owned() };
        if !self.has_source() {
            return Err(unknown("this companion keeps no turns"));
        }
        let directory = directory.map(PathBuf::from).or_else(|| self.roots.first().cloned());
        let directory = directory.ok_or_else(|| unknown("this companion serves no project"))?;
        Ok(LookKey { directory, since })
    }

    /// Returns the number of the next look that begins.
    pub(super) fn next_look_number(&self) -> u64 {
        self.last_look_number + 1
    }

    /// Starts a look for these requests. If a look is under way, queues them for the next one.
    pub(super) fn request_look(&mut self, key: &LookKey, requests: Vec<LookRequest>) {
        if self.looks.begin_or_queue(key, requests) {
            self.begin_look(key);
        }
    }

    fn begin_look(&mut self, key: &LookKey) {
        self.last_look_number += 1;
        let (number, roots) = (self.last_look_number, self.roots.clone());
        self.push_job(JobKind::Look { key: key.clone(), number, roots });
    }

    /// Ends a look. Returns the requests that have waited for it, and starts another look for the later
    /// requests.
    pub(super) fn end_look(&mut self, key: &LookKey) -> Vec<LookRequest> {
        let (requests, again) = self.looks.end(key);
        if again {
            self.begin_look(key);
        }
        requests
    }

    // Texts.

    /// Starts to read the texts of a file, because these requests open it, or because it has changed while
    /// desks have it open. Refuses the requests if the review has no such file.
    pub(super) fn request_texts(
        &mut self,
        key: &FileKey,
        open_requests: Vec<TurnCall>,
        review: Option<&TurnReview>,
    ) {
        if self.reads.begin_or_queue(key, open_requests) {
            self.begin_read(key, review);
        }
    }

    /// Ends the reading of a file. Returns the requests that open it, and starts to read it again for the
    /// later requests.
    pub(super) fn end_read(&mut self, key: &FileKey, review: Option<&TurnReview>) -> Vec<TurnCall> {
        let (open_requests, again) = self.reads.end(key);
        if again {
            self.begin_read(key, review);
        }
        open_requests
    }

    fn begin_read(&mut self, key: &FileKey, review: Option<&TurnReview>) {
        let (turn, path) = key;
        if let Some(review) = review
            && let Some(file) = review.find_file(path).cloned()
        {
            let known = review.known_texts(path);
            self.push_job(JobKind::Read { turn: *turn, look: review.look().clone(), file, known });
        } else {
            // The run ends at once, so no later request can be queued.
            let (open_requests, _) = self.reads.end(key);
            self.refuse(open_requests, &Refusal::NoSuchTurn);
        }
    }
}
