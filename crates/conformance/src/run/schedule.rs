//! The order of a run. The first checks show whether agents affect each other, because the order of the
//! others depends on that. If they do not, checks that need only the companion run several at a time. Long
//! checks run in parallel with all others.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use alongside_contract::family::Transport;
use futures_util::future::{FutureExt as _, join, join_all};
use futures_util::stream::{self, StreamExt as _};
use tokio::sync::oneshot;

use crate::check::{Check, When};
use crate::check_ending::NotPassed;
use crate::checks::{CHECKS, idle, sessions};
use crate::claude::connecting;
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::fixture::Fixture;
use crate::mutex::lock;
use crate::run::progress::Progress;
use crate::run::report::{CheckResult, Verdict};
use crate::time::clock::within;

/// The most checks without an action in the editor that run at the same time.
const AT_ONCE: usize = 6;
/// The interval of the progress messages while only long checks are left.
const TICK: Duration = Duration::from_secs(1);

/// A run.
pub(crate) struct Schedule<'r, 'b> {
    fixture: &'r Fixture<'b>,
    wanted: &'r [&'static Check],
    state: Mutex<State<'r>>,
}

/// The results so far, and the receiver of the progress.
struct State<'r> {
    results: Vec<CheckResult>,
    progress: &'r mut (dyn FnMut(Progress<'_>) + Send),
}

/// The effects that several agents have on each other.
#[derive(Clone, Copy)]
struct Several {
    /// There are none: agents may do everything at the same time.
    is_harmless: bool,
    /// The newest agent is served as if it were alone, so idle agents may be connected.
    spares_the_newest: bool,
}

impl<'r, 'b> Schedule<'r, 'b> {
    pub(crate) fn new(
        fixture: &'r Fixture<'b>,
        wanted: &'r [&'static Check],
        progress: &'r mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Self {
        Self { fixture, wanted, state: Mutex::new(State { results: Vec::new(), progress }) }
    }

    /// Returns the results, also of an interrupted run.
    pub(crate) fn results(self) -> Vec<CheckResult> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).results
    }

    /// Makes all checks.
    pub(crate) async fn all(&self) {
        greet(self.fixture).await;
        if self.fixture.target.transport == Transport::WebSocket {
            // Each of these checks is short.
            for check in self.at(When::InTurn).chain(self.at(When::Last)) {
                self.make(check).await;
            }
            return;
        }
        let several = self.meets_several().await;
        if self.at(When::Beside).next().is_some() && several.spares_the_newest {
            let connecting = Case::new(self.fixture);
            // One after the other, and before the others; the checks judge all faults.
            let _ = idle::listens(&connecting).await;
            let _ = idle::is_gone(&connecting).await;
            let (over, is_over) = oneshot::channel::<()>();
            let waiting = async {
                join_all(self.at(When::Beside).map(|check| self.make(check))).await;
                drop(over);
            };
            let rest = async {
                self.one_after_the_other(several).await;
                self.tells_until(is_over).await;
            };
            join(waiting, rest).await;
            connecting.ends().await;
        } else {
            self.one_after_the_other(several).await;
            for check in self.at(When::Beside) {
                self.make(check).await;
            }
        }
        for check in self.at(When::Last) {
            self.make(check).await;
        }
    }

    /// Returns the selected checks of this time.
    fn at(&self, when: When) -> impl Iterator<Item = &'static Check> + use<'r, 'b> {
        self.wanted.iter().copied().filter(move |check| check.when == when)
    }

    /// Finds out how several agents affect each other, if a selected check depends on that, even if no check
    /// of it was selected.
    async fn meets_several(&self) -> Several {
        let mut several = Several { is_harmless: true, spares_the_newest: true };
        let matters = [When::First, When::AtOnce, When::Beside];
        if !matters.iter().any(|when| self.at(*when).next().is_some()) {
            return several;
        }
        for check in CHECKS.iter().copied().filter(|check| check.when == When::First) {
            let verdict = match self.wanted.iter().any(|wanted| wanted.id == check.id) {
                true => self.make(check).await,
                false => judge(self.fixture, check).await.verdict,
            };
            several.is_harmless &= verdict == Verdict::Pass;
            let ends_others = check.id == sessions::DELETE_OWN && matches!(verdict, Verdict::Fail(_));
            several.spares_the_newest &= !ends_others;
        }
        several.spares_the_newest &= self.fixture.newest_is_served.load(Ordering::Relaxed);
        several
    }

    async fn one_after_the_other(&self, several: Several) {
        let at_once = if several.is_harmless { AT_ONCE } else { 1 };
        let quick: Vec<_> = self.at(When::AtOnce).map(|check| self.make(check).boxed()).collect();
        stream::iter(quick).buffer_unordered(at_once).for_each(|_| std::future::ready(())).await;
        for check in self.at(When::InTurn).chain(self.at(When::Afterwards)) {
            self.make(check).await;
        }
    }

    /// Makes one check, and reports its progress.
    async fn make(&self, check: &'static Check) -> Verdict {
        let of = self.wanted.len();
        // Progress names a check that runs beside the others only when nothing else is left.
        if check.when != When::Beside {
            let mut state = lock(&self.state);
            let done = state.results.len();
            (state.progress)(Progress::Begins { check, done, of });
        }
        let result = judge(self.fixture, check).await;
        let verdict = result.verdict.clone();
        let mut state = lock(&self.state);
        (state.progress)(Progress::Done(&result));
        state.results.push(result);
        verdict
    }

    /// Reports the remaining long checks every second, until they are done.
    async fn tells_until(&self, mut is_over: oneshot::Receiver<()>) {
        let begun = Instant::now();
        loop {
            {
                let mut state = lock(&self.state);
                let is_left =
                    |check: &&Check| !state.results.iter().any(|result| result.check.id == check.id);
                let left: Vec<&'static Check> = self.at(When::Beside).filter(is_left).collect();
                let (done, of) = (state.results.len(), self.wanted.len());
                if !left.is_empty() {
                    (state.progress)(Progress::Waits { left: &left, so_far: begun.elapsed(), done, of });
                }
            }
            if within(TICK, &mut is_over).await.is_some() {
                return;
            }
        }
    }
}

/// Asks for the name of the companion, for the head of the report.
async fn greet(fixture: &Fixture<'_>) {
    let case = Case::new(fixture);
    let initialized = match fixture.target.transport {
        Transport::Http => connect::introduce(&case).await.map(|(_, initialized)| initialized),
        Transport::WebSocket => connecting::claude_greets(&case).await.map(|(_, initialized)| initialized),
    };
    if let Ok(initialized) = initialized {
        fixture.set_server(initialized);
    }
    case.ends().await;
}

/// Makes one check.
async fn judge(fixture: &Fixture<'_>, check: &'static Check) -> CheckResult {
    let begun = Instant::now();
    let case = Case::new(fixture);
    let judged = match fixture.lacks(check.needs) {
        Some(why) => Err(NotPassed::Unseen(why)),
        None => (check.judge)(&case).await,
    };
    case.ends().await;
    let verdict = match judged {
        Ok(()) => Verdict::Pass,
        Err(NotPassed::Fail(why)) => Verdict::Fail(why),
        Err(NotPassed::Unseen(why)) => Verdict::NotObservable(why),
        Err(NotPassed::Skip(why)) => Verdict::Skipped(why),
    };
    CheckResult { check, verdict, evidence: case.evidence.take(), took: begun.elapsed() }
}
