//! The work that turn reviews wait for, and the desks that wait for its results.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{CallAnswer, TurnId};

use super::effect::TurnEffect;
use super::job::{LookKey, TurnJob, Work};
use super::opening::Opening;
use super::single_runs::SingleRuns;
use super::source::TurnSource;
use super::turn_review::TurnReview;
use crate::ids::DeskId;

/// All work that is under way.
#[derive(Debug)]
pub(super) struct TurnWork {
    source: Option<Arc<dyn TurnSource>>,
    /// The number of the newest look.
    last_look: u64,
    looks: SingleRuns<LookKey, LookAsker>,
    reads: SingleRuns<FileKey, Opening>,
}

/// A file of a turn review, by its path below the root.
pub(super) type FileKey = (TurnId, PathBuf);

/// A desk that waits for a look.
#[derive(Debug)]
pub(super) enum LookAsker {
    Desk {
        desk: DeskId,
        answer: CallAnswer,
    },
    /// Its finish ends with the look.
    Finish {
        turn: TurnId,
        answer: CallAnswer,
    },
}

impl TurnWork {
    pub(super) fn new(source: Option<Arc<dyn TurnSource>>) -> Self {
        Self { source, last_look: 0, looks: SingleRuns::default(), reads: SingleRuns::default() }
    }

    pub(super) fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// The place that a desk asks to be looked at; without a directory, the first root.
    ///
    /// # Errors
    /// Why there is nothing to look at.
    pub(super) fn look_key(
        &self,
        directory: Option<String>,
        since: Option<String>,
        roots: &[PathBuf],
    ) -> Result<LookKey, &'static str> {
        if !self.has_source() {
            return Err("this companion keeps no turns");
        }
        let directory = directory.map(PathBuf::from).or_else(|| roots.first().cloned());
        let directory = directory.ok_or("this companion serves no project")?;
        Ok(LookKey { directory, since })
    }

    /// The number of the next look that begins.
    pub(super) fn next_look(&self) -> u64 {
        self.last_look + 1
    }

    pub(super) fn begin(&self, work: Work, effects: &mut Vec<TurnEffect>) {
        if let Some(source) = self.source.clone() {
            effects.push(TurnEffect::Work(Box::new(TurnJob { source, work })));
        }
    }

    /// These desks wait for a look that begins now or later.
    pub(super) fn ask_for_look(
        &mut self,
        key: &LookKey,
        askers: Vec<LookAsker>,
        roots: &Arc<[PathBuf]>,
        effects: &mut Vec<TurnEffect>,
    ) {
        if self.looks.ask(key, askers) {
            self.begin_look(key, roots, effects);
        }
    }

    fn begin_look(&mut self, key: &LookKey, roots: &Arc<[PathBuf]>, effects: &mut Vec<TurnEffect>) {
        self.last_look += 1;
        let work = Work::Look { key: key.clone(), number: self.last_look, roots: roots.clone() };
        self.begin(work, effects);
    }

    /// A look has ended. Returns those who have waited for it, and begins another one for those who came
    /// later.
    pub(super) fn end_look(
        &mut self,
        key: &LookKey,
        roots: &Arc<[PathBuf]>,
        effects: &mut Vec<TurnEffect>,
    ) -> Vec<LookAsker> {
        let (askers, again) = self.looks.end(key);
        if again {
            self.begin_look(key, roots, effects);
        }
        askers
    }

    /// These desks open a file, or it has changed while desks have it open. Returns those for whom there is
    /// nothing to open.
    #[must_use]
    pub(super) fn ask_for_texts(
        &mut self,
        key: &FileKey,
        openings: Vec<Opening>,
        review: Option<&TurnReview>,
        effects: &mut Vec<TurnEffect>,
    ) -> Vec<Opening> {
        if self.reads.ask(key, openings) {
            return self.begin_read(key, review, effects);
        }
        Vec::new()
    }

    /// The texts of a file were read. Returns those who open it, and those for whom there is nothing to open
    /// any more: the file is to be read again for others.
    pub(super) fn end_read(
        &mut self,
        key: &FileKey,
        review: Option<&TurnReview>,
        effects: &mut Vec<TurnEffect>,
    ) -> (Vec<Opening>, Vec<Opening>) {
        let (openings, again) = self.reads.end(key);
        let refused = if again { self.begin_read(key, review, effects) } else { Vec::new() };
        (openings, refused)
    }

    fn begin_read(
        &mut self,
        key: &FileKey,
        review: Option<&TurnReview>,
        effects: &mut Vec<TurnEffect>,
    ) -> Vec<Opening> {
        let (turn, path) = key;
        if let Some(review) = review
            && let Some(file) = review.found(path).cloned()
        {
            let known = review.known_texts(path);
            self.begin(Work::Read { turn: *turn, look: review.look().clone(), file, known }, effects);
            return Vec::new();
        }
        // Nobody has asked since.
        self.reads.end(key).0
    }
}
