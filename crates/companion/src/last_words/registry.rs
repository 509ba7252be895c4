//! The watches over the files of decided reviews: from the decision until the agent's next proposal for the
//! file, the end of its session, or ten minutes. Without a change that the system reports, no look is due.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::Closing;
use alongside_platform::watch::Watch;
use tokio::time::Instant;

use super::decision_watch::{DecisionWatch, KeptDraft, Next, SETTLE_TIME, WatchedDecision};
use super::effect::LastWordEffect;
use super::look::{self, Look, LookResult, WatchedFile};
use crate::persistence::drafts::{EarlierDraft, NewDraft};
use crate::reviews::review::PendingReview;

/// The largest number of watched decisions. More of them end the oldest watch.
const MAX_WATCHED: usize = 64;
/// The largest size of the texts of all watched decisions, in bytes. A larger size ends the oldest watch.
const MAX_BYTES: usize = 64 << 20;
/// The time for which decisions wait to share a look. The look finds what was written meanwhile.
const COLLECTION_TIME: Duration = Duration::from_millis(50);
/// The time between two looks on a system that reports no changes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The watched decisions, and the look that is due or under way.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    /// The watched decisions, in the order in which they were made.
    watched: Vec<DecisionWatch>,
    last_number: u64,
    /// The watch on directories; `None` before the first decision.
    watch: Option<Arc<Watch>>,
    /// Whether the last look has set a watch on directories.
    is_watching: bool,
    is_looking: bool,
    /// The time of the next look at all files.
    next_look: Option<Instant>,
    /// The time of the next look at the files whose watch ends. Their agents may soon write something else.
    next_last_look: Option<Instant>,
}

impl LastWords {
    /// Creates the watches over the files of drafts that an earlier companion has left: agents may write them
    /// now.
    pub(crate) fn of_drafts(drafts: Vec<EarlierDraft>, now: Instant) -> Self {
        let mut words = Self::default();
        for EarlierDraft { file, agent, text } in drafts {
            let number = words.next_number();
            words.push(DecisionWatch::of_draft(number, file, agent, text, now), now);
        }
        words
    }

    /// Watches the file of a review that a decision has ended. `has_draft`: a draft holds the text. For an
    /// accepted text without a draft, `draft` is saved if the file finally holds something else.
    pub(crate) fn begin(
        &mut self,
        ended: &PendingReview,
        closing: Closing,
        has_draft: bool,
        draft: impl FnOnce() -> NewDraft,
        now: Instant,
    ) {
        let (decided, draft) = match closing {
            Closing::Accepted if has_draft => (WatchedDecision::Accepted, KeptDraft::InDraft),
            Closing::Accepted => (WatchedDecision::Accepted, KeptDraft::IfNeeded(draft())),
            Closing::Rejected => (WatchedDecision::Rejected, KeptDraft::None),
            Closing::AnsweredInAgent if has_draft => (WatchedDecision::InAgent, KeptDraft::InDraft),
            Closing::AnsweredInAgent => (WatchedDecision::InAgentAsProposed, KeptDraft::None),
            // Most agents write the file when their hook dies.
            Closing::AgentGone if ended.hook().is_some() => (WatchedDecision::BrokenOff, KeptDraft::None),
            _ => return,
        };
        if decided == WatchedDecision::Accepted {
            self.end_some(now, |watched| watched.end_by_acceptance(ended));
        }
        let number = self.next_number();
        self.push(DecisionWatch::of(number, ended, decided, draft, now), now);
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    fn push(&mut self, new: DecisionWatch, now: Instant) {
        self.watched.push(new);
        self.plan_look(now + COLLECTION_TIME);
        let (mut count, mut bytes) = (0, 0);
        for watched in self.watched.iter_mut().rev() {
            (count, bytes) = (count + 1, bytes + watched.text.text.len());
            if count > MAX_WATCHED || bytes > MAX_BYTES {
                watched.crowd_out();
            }
        }
    }

    /// Ends the watches over earlier decisions on a file that its agent proposes again. Returns the words
    /// that follow before the next look, because the agent may write the file before it.
    pub(crate) fn mark_proposed(&mut self, review: &PendingReview, now: Instant) -> Vec<LastWordEffect> {
        self.end_some(now, |watched| watched.end_by_proposal(review));
        let ended = self.watched.iter().filter(|watched| watched.is_ended_by(review));
        let results: Vec<_> = ended.filter_map(|watched| watched.result_of_proposal(review)).collect();
        self.take_results(results, now)
    }

    /// Ends the watches over the decisions of a session that has ended. A file that its agent was writing may
    /// stay incomplete.
    pub(crate) fn end_session(&mut self, session: &str, now: Instant) {
        self.end_some(now + SETTLE_TIME, |watched| watched.is_of_session(session) && watched.end());
    }

    /// Watches a file longer, because an agent got the answer of a decision on it once more.
    pub(crate) fn prolong(&mut self, file: &Path, agent: &str, now: Instant) {
        for watched in &mut self.watched {
            watched.prolong(file, agent, now);
        }
    }

    /// Calls `end` for each watched decision. If it ends any, plans the look at their files for that time.
    fn end_some(&mut self, look_at: Instant, mut end: impl FnMut(&mut DecisionWatch) -> bool) {
        let mut has_ended = false;
        for watched in &mut self.watched {
            has_ended |= end(watched);
        }
        if has_ended {
            self.next_last_look = earliest(self.next_last_look, look_at);
        }
    }

    /// Waits for a change in a watched directory, unless a look is planned already.
    pub(crate) async fn wait_for_change(&self) {
        match &self.watch {
            Some(watch) if self.next_look.is_none() => watch.changed().await,
            _ => std::future::pending().await,
        }
    }

    /// Plans a look after a change in a watched directory.
    pub(crate) fn mark_changed(&mut self, now: Instant) {
        self.plan_look(now + SETTLE_TIME);
    }

    fn plan_look(&mut self, at: Instant) {
        self.next_look = earliest(self.next_look, at);
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        // While a look runs, deadlines wait for its end.
        let looks = self.next_look.into_iter().chain(self.next_last_look);
        let deadlines = looks.chain(self.watched.iter().filter_map(DecisionWatch::deadline));
        deadlines.min().filter(|_| !self.is_looking)
    }

    /// Returns the look that is due, for the caller to run.
    pub(crate) fn on_deadline(&mut self, now: Instant) -> Option<Look> {
        if self.is_looking {
            return None;
        }
        let due = self.watched.iter_mut().filter_map(|watched| watched.take_due(now).then_some(()));
        if due.count() > 0 {
            self.plan_look(now);
        }
        let is_at_all = self.next_look.take_if(|at| *at <= now).is_some();
        let is_last_due = self.next_last_look.take_if(|at| is_at_all || *at <= now).is_some();
        let has_ending = || self.watched.iter().any(DecisionWatch::is_ending);
        if !(is_at_all || is_last_due && has_ending()) {
            return None;
        }
        self.is_looking = true;
        let watch = self.watch.get_or_insert_with(|| Arc::new(Watch::begin())).clone();
        let open = self.watched.iter().map(|watched| &*watched.text);
        let directories: BTreeSet<_> = open.flat_map(look::directories).collect();
        self.is_watching = !directories.is_empty();
        let looked_at = self.watched.iter().filter(|watched| is_at_all || watched.is_ending());
        let files = looked_at.map(|watched| WatchedFile {
            number: watched.number,
            text: watched.text.clone(),
            prefers_unchanged: watched.prefers_unchanged(),
            known: watched.settled_fingerprint(now),
            is_last: watched.is_ending(),
        });
        Some(Look { watch, directories, files: files.collect() })
    }

    /// Takes the results of a look. Returns the words that follow.
    pub(crate) fn end_look(&mut self, results: Vec<LookResult>, now: Instant) -> Vec<LastWordEffect> {
        self.is_looking = false;
        let words = self.take_results(results, now);
        if self.watched.is_empty() && self.is_watching {
            // The next look removes the watch on directories that belong to no decision any more.
            self.plan_look(now);
        }
        if !self.watched.is_empty() && self.watch.as_ref().is_none_or(|watch| watch.may_miss_changes()) {
            self.plan_look(now + POLL_INTERVAL);
        }
        words
    }

    fn take_results(&mut self, results: Vec<LookResult>, now: Instant) -> Vec<LastWordEffect> {
        let mut words = Vec::new();
        for result in results {
            let Some(index) = self.watched.iter().position(|watched| watched.number == result.number) else {
                continue;
            };
            let (effect, next) = self.watched[index].take_result(result, now);
            words.extend(effect);
            match next {
                Next::Done => drop(self.watched.remove(index)),
                Next::Wait => {}
                Next::LookAt(time) => self.plan_look(time),
            }
        }
        words
    }

    /// Drops the watch on directories in another thread: the kernel takes some ten milliseconds for it.
    pub(crate) fn close(&mut self) {
        let watch = self.watch.take();
        tokio::task::spawn_blocking(move || drop(watch));
    }
}

fn earliest(planned: Option<Instant>, at: Instant) -> Option<Instant> {
    Some(planned.map_or(at, |planned| planned.min(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a draft that an agent is to write into this file.
    fn awaited_draft(file: &Path, text: &str) -> EarlierDraft {
        let file = file.to_str().unwrap().to_owned();
        EarlierDraft { file, agent: "Gemini CLI".into(), text: text.into() }
    }

    /// Looks as the main loop does, until nothing is due.
    fn look(words: &mut LastWords) -> Vec<LastWordEffect> {
        let mut effects = Vec::new();
        while let Some(look) = words.on_deadline(Instant::now()) {
            effects.extend(words.end_look(look.run(), Instant::now()));
        }
        effects
    }

    #[tokio::test(start_paused = true)]
    async fn no_look_is_planned_without_a_decision() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.txt");
        assert_eq!(LastWords::default().deadline(), None);
        let mut words = LastWords::of_drafts(vec![awaited_draft(&file, "mine")], Instant::now());
        let until = Instant::now() + Duration::from_secs(600);
        tokio::time::advance(COLLECTION_TIME).await;
        assert!(look(&mut words).is_empty());
        if !words.watch.as_ref().unwrap().may_miss_changes() {
            assert_eq!(words.deadline(), Some(until), "no look is planned before");
        }
        std::fs::write(&file, "mine").unwrap();
        words.wait_for_change().await;
        words.mark_changed(Instant::now());
        assert!(look(&mut words).is_empty(), "the file settles");
        tokio::time::advance(SETTLE_TIME).await;
        let effects = look(&mut words);
        assert!(effects.len() == 1 && effects[0].settles_drafts, "{effects:?}");
        assert_eq!((words.deadline(), words.is_watching), (None, false));
        // The end of a watch on directories may be reported as a change.
        let _ = tokio::time::timeout(SETTLE_TIME, words.wait_for_change()).await;
        std::fs::write(&file, "something else").unwrap();
        let change = tokio::time::timeout(Duration::from_secs(3600), words.wait_for_change()).await;
        assert!(change.is_err(), "the directory belongs to no decision any more");
    }

    #[tokio::test(start_paused = true)]
    async fn decisions_share_a_look_and_a_watch_that_ends_has_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = ["a", "b"].map(|name| awaited_draft(&directory.path().join(name), "mine")).into();
        let mut words = LastWords::of_drafts(drafts, Instant::now());
        let mut look = || {
            let look = words.on_deadline(Instant::now())?;
            let files = look.files.len();
            words.end_look(look.run(), Instant::now());
            Some(files)
        };
        assert_eq!(look(), None);
        tokio::time::advance(COLLECTION_TIME).await;
        assert_eq!((look(), look()), (Some(2), None));
        words.end_some(Instant::now(), |watched| watched.number == 1 && watched.end());
        let look = words.on_deadline(Instant::now()).unwrap();
        assert_eq!(look.files.iter().map(|file| file.number).collect::<Vec<_>>(), [1]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_watched_decisions_is_limited() {
        let directory = tempfile::tempdir().unwrap();
        let file = |number: usize| directory.path().join(number.to_string());
        let drafts = (0..=MAX_WATCHED).map(|number| awaited_draft(&file(number), "mine")).collect();
        let words = LastWords::of_drafts(drafts, Instant::now());
        let ending: Vec<_> = words.watched.iter().filter(|watched| watched.is_ending()).collect();
        assert_eq!(ending.iter().map(|watched| watched.number).collect::<Vec<_>>(), [1], "the oldest ends");
    }
}
