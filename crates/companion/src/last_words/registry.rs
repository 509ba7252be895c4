//! The watch over the files of decided reviews: from the decision until the agent's next proposal for the
//! file, the end of its session, or ten minutes. It sleeps until the system tells of a change.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::Closing;
use alongside_platform::watch::Watch;
use tokio::time::Instant;

use super::look::{self, Look, Sight, Target};
use super::said::Said;
use super::watched::{KeptDraft, Next, SETTLE_TIME, Watched, WatchedDecision};
use crate::persistence::drafts::{EarlierDraft, NewDraft};
use crate::reviews::review::PendingReview;

/// The most decisions that are watched. Beyond that, the watch over the oldest ends.
const MAX_WATCHED: usize = 64;
/// The most bytes of the texts of all watched decisions. Beyond that, the watch over the oldest ends.
const MAX_BYTES: usize = 64 << 20;
/// The time between two looks on a system that tells of no changes.
const DEAF_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(crate) struct LastWords {
    /// The watched decisions, in the order in which they were made.
    watched: Vec<Watched>,
    last_number: u64,
    /// The watch on directories; `None` before the first decision.
    watch: Option<Arc<Watch>>,
    /// Whether the last look has set a watch on directories.
    is_watching: bool,
    is_looking: bool,
    next_look: Option<Instant>,
}

impl LastWords {
    /// Watches the files of drafts that an earlier companion has left: their agents may write them now.
    pub(crate) fn of_drafts(drafts: Vec<EarlierDraft>, now: Instant) -> Self {
        let mut words = Self::default();
        for EarlierDraft { file, agent, text } in drafts {
            let number = words.next_number();
            words.push(Watched::of_draft(number, file, agent, text, now), now);
        }
        words
    }

    /// Watches the file of a review that has ended, if a decision has ended it. `is_kept`: a draft holds
    /// the text. For an accepted text without a draft, `draft` is saved if the file turns out to hold
    /// something else.
    pub(crate) fn begin(
        &mut self,
        ended: &PendingReview,
        closing: Closing,
        is_kept: bool,
        draft: impl FnOnce() -> NewDraft,
        now: Instant,
    ) {
        let (decided, kept) = match closing {
            Closing::Accepted if is_kept => (WatchedDecision::Accepted, KeptDraft::InDraft),
            Closing::Accepted => (WatchedDecision::Accepted, KeptDraft::IfNeeded(draft())),
            Closing::Rejected => (WatchedDecision::Rejected, KeptDraft::Nowhere),
            Closing::AnsweredInAgent if is_kept => (WatchedDecision::InAgent, KeptDraft::InDraft),
            Closing::AnsweredInAgent => (WatchedDecision::InAgentAsProposed, KeptDraft::Nowhere),
            // Most agents write the file when their hook dies.
            Closing::AgentGone if ended.hook().is_some() => (WatchedDecision::BrokenOff, KeptDraft::Nowhere),
            _ => return,
        };
        if decided == WatchedDecision::Accepted {
            self.end_where(now, |watched| watched.end_by_acceptance(ended));
        }
        let number = self.next_number();
        self.push(Watched::of(number, ended, decided, kept, now), now);
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    fn push(&mut self, new: Watched, now: Instant) {
        self.watched.push(new);
        self.look_by(now);
        let (mut count, mut bytes) = (0, 0);
        for watched in self.watched.iter_mut().rev() {
            (count, bytes) = (count + 1, bytes + watched.text.text.len());
            if count > MAX_WATCHED || bytes > MAX_BYTES {
                watched.crowd_out();
            }
        }
    }

    /// Ends the watch over earlier decisions on a file that its agent proposes again. Returns the words
    /// that follow at once, since the agent may write the file before the next look.
    pub(crate) fn mark_proposed(&mut self, review: &PendingReview, now: Instant) -> Vec<Said> {
        self.end_where(now, |watched| watched.end_by_proposal(review));
        let sights = self.watched.iter().filter(|watched| watched.is_ended_by(review));
        let sights: Vec<_> = sights.filter_map(|watched| watched.sight_of(review)).collect();
        self.take_sights(sights, now)
    }

    /// Ends the watch over the decisions of a session that has ended. A file that its agent was writing may
    /// stay incomplete.
    pub(crate) fn end_session(&mut self, session: &str, now: Instant) {
        self.end_where(now + SETTLE_TIME, |watched| watched.is_of_session(session) && watched.end());
    }

    /// Watches the file longer, since an agent got the answer of a decision on it once more.
    pub(crate) fn prolong(&mut self, file: &Path, agent: &str, now: Instant) {
        for watched in &mut self.watched {
            watched.prolong(file, agent, now);
        }
    }

    /// Calls `ends` for each watched decision, and looks at that time if it was true of any.
    fn end_where(&mut self, look_at: Instant, mut ends: impl FnMut(&mut Watched) -> bool) {
        let mut is_any_over = false;
        for watched in &mut self.watched {
            is_any_over |= ends(watched);
        }
        if is_any_over {
            self.look_by(look_at);
        }
    }

    /// Waits for a change in a watched directory, unless a look is planned already.
    pub(crate) async fn changed(&self) {
        match &self.watch {
            Some(watch) if self.next_look.is_none() => watch.changed().await,
            _ => std::future::pending().await,
        }
    }

    /// A watched directory has changed.
    pub(crate) fn mark_changed(&mut self, now: Instant) {
        self.look_by(now + SETTLE_TIME);
    }

    fn look_by(&mut self, at: Instant) {
        self.next_look = Some(self.next_look.map_or(at, |planned| planned.min(at)));
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        // While a look runs, deadlines wait for its end.
        let deadlines = self.next_look.into_iter().chain(self.watched.iter().filter_map(Watched::deadline));
        deadlines.min().filter(|_| !self.is_looking)
    }

    /// The look that is due, which the caller runs.
    pub(crate) fn on_deadline(&mut self, now: Instant) -> Option<Look> {
        if self.is_looking {
            return None;
        }
        self.end_where(now, |watched| watched.take_due(now));
        self.next_look.take_if(|at| *at <= now)?;
        self.is_looking = true;
        let watch = self.watch.get_or_insert_with(|| Arc::new(Watch::begin())).clone();
        let open = self.watched.iter().map(|watched| &*watched.text);
        let directories: BTreeSet<_> = open.flat_map(look::directories).collect();
        self.is_watching = !directories.is_empty();
        let targets = self.watched.iter().map(|watched| Target {
            number: watched.number,
            text: watched.text.clone(),
            is_before_first: watched.is_before_first(),
            known: watched.known(now),
            is_last: watched.is_ending(),
        });
        Some(Look { watch, directories, targets: targets.collect() })
    }

    /// Takes what a look has found. Returns the words that follow.
    pub(crate) fn end_look(&mut self, sights: Vec<Sight>, now: Instant) -> Vec<Said> {
        self.is_looking = false;
        let words = self.take_sights(sights, now);
        if self.watched.is_empty() && self.is_watching {
            // This look ends the watch on directories that no decision is about any more.
            self.look_by(now);
        }
        if !self.watched.is_empty() && self.watch.as_ref().is_none_or(|watch| watch.is_deaf()) {
            self.look_by(now + DEAF_INTERVAL);
        }
        words
    }

    fn take_sights(&mut self, sights: Vec<Sight>, now: Instant) -> Vec<Said> {
        let mut words = Vec::new();
        for sight in sights {
            let Some(at) = self.watched.iter().position(|watched| watched.number == sight.number) else {
                continue;
            };
            let (said, next) = self.watched[at].see(sight, now);
            words.extend(said);
            match next {
                Next::Done => drop(self.watched.remove(at)),
                Next::Wait => {}
                Next::LookAt(then) => self.look_by(then),
            }
        }
        words
    }

    /// Ends the watch, for which the kernel takes some ten milliseconds.
    pub(crate) fn close(&mut self) {
        let watch = self.watch.take();
        tokio::task::spawn_blocking(move || drop(watch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A draft that an agent is to write into this file.
    fn awaited(file: &Path, text: &str) -> EarlierDraft {
        let file = file.to_str().unwrap().to_owned();
        EarlierDraft { file, agent: "Gemini CLI".into(), text: text.into() }
    }

    /// Looks as the main loop does, until nothing is due.
    fn look(words: &mut LastWords) -> Vec<Said> {
        let mut said = Vec::new();
        while let Some(look) = words.on_deadline(Instant::now()) {
            said.extend(words.end_look(look.run(), Instant::now()));
        }
        said
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_wakes_without_a_decision() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.txt");
        assert_eq!(LastWords::default().deadline(), None);
        let mut words = LastWords::of_drafts(vec![awaited(&file, "mine")], Instant::now());
        assert!(look(&mut words).is_empty());
        let until = Instant::now() + Duration::from_secs(600);
        if !words.watch.as_ref().unwrap().is_deaf() {
            assert_eq!(words.deadline(), Some(until), "nothing wakes anybody before");
        }
        std::fs::write(&file, "mine").unwrap();
        words.changed().await;
        words.mark_changed(Instant::now());
        assert!(look(&mut words).is_empty(), "the file settles");
        tokio::time::advance(SETTLE_TIME).await;
        let said = look(&mut words);
        assert!(said.len() == 1 && said[0].settles, "{said:?}");
        assert_eq!((words.deadline(), words.is_watching), (None, false));
        // The end of a watch may be heard as well.
        let _ = tokio::time::timeout(SETTLE_TIME, words.changed()).await;
        std::fs::write(&file, "something else").unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(3600), words.changed()).await;
        assert!(heard.is_err(), "no decision is about the directory any more");
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_watched_decisions_is_limited() {
        let directory = tempfile::tempdir().unwrap();
        let file = |number: usize| directory.path().join(number.to_string());
        let drafts = (0..=MAX_WATCHED).map(|number| awaited(&file(number), "mine")).collect();
        let words = LastWords::of_drafts(drafts, Instant::now());
        let ending: Vec<_> = words.watched.iter().filter(|one| one.is_ending()).collect();
        assert_eq!(ending.iter().map(|one| one.number).collect::<Vec<_>>(), [1], "the oldest ends");
    }
}
