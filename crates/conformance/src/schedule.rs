//! The order of a run: what shows whether several agents do each other harm comes first, for the rest depends
//! on it. Where they do not, what only talks to the companion is checked several at a time; and what takes
//! its time waits beside everything else.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{FutureExt as _, join, join_all};
use futures_util::stream::{self, StreamExt as _};
use tokio::sync::oneshot;

use crate::bench::{Bench, Case, Stop};
use crate::clock::within;
use crate::table::{CHECKS, When};
use crate::{Check, CheckResult, Progress, Verdict, idle, sessions};

/// How many checks are made at the same time that need nothing of the editor.
const AT_ONCE: usize = 6;
/// How often it is told that something is waited for.
const TICK: Duration = Duration::from_secs(1);

/// A run.
pub(crate) struct Schedule<'r, 'b> {
    bench: &'r Bench<'b>,
    wanted: &'r [&'static Check],
    told: Mutex<Told<'r>>,
}

/// What is known so far, and who is told.
struct Told<'r> {
    results: Vec<CheckResult>,
    progress: &'r mut (dyn FnMut(Progress<'_>) + Send),
}

/// What several agents do to each other.
#[derive(Clone, Copy)]
struct Several {
    /// Nothing: they may do everything at the same time.
    is_harmless: bool,
    /// The newest is served as if it were alone, so others may be there and do nothing.
    spares_the_newest: bool,
}

impl<'r, 'b> Schedule<'r, 'b> {
    pub(crate) fn new(
        bench: &'r Bench<'b>,
        wanted: &'r [&'static Check],
        progress: &'r mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Self {
        Self { bench, wanted, told: Mutex::new(Told { results: Vec::new(), progress }) }
    }

    /// What is known, also of a run that was broken off.
    pub(crate) fn results(self) -> Vec<CheckResult> {
        self.told.into_inner().unwrap_or_else(PoisonError::into_inner).results
    }

    /// Makes all checks.
    pub(crate) async fn all(&self) {
        self.bench.greet().await;
        let several = self.meets_several().await;
        if self.at(When::Beside).next().is_some() && several.spares_the_newest {
            let connecting = Case::new(self.bench);
            // One after the other, and before the rest; whatever goes wrong is for the checks to tell.
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

    /// The checks that are wanted, and made then.
    fn at(&self, when: When) -> impl Iterator<Item = &'static Check> + use<'r, 'b> {
        self.wanted.iter().copied().filter(move |check| check.when == when)
    }

    /// Sees what several agents do to each other, where something hangs on it; also if nobody asked for that.
    async fn meets_several(&self) -> Several {
        let mut several = Several { is_harmless: true, spares_the_newest: true };
        let matters = [When::First, When::AtOnce, When::Beside];
        if !matters.iter().any(|when| self.at(*when).next().is_some()) {
            return several;
        }
        for check in CHECKS.iter().copied().filter(|check| check.when == When::First) {
            let verdict = match self.wanted.iter().any(|it| it.id == check.id) {
                true => self.make(check).await,
                false => judge(self.bench, check).await.verdict,
            };
            several.is_harmless &= verdict == Verdict::Pass;
            let ends_others = check.id == sessions::DELETE_OWN && matches!(verdict, Verdict::Fail(_));
            several.spares_the_newest &= !ends_others;
        }
        several.spares_the_newest &= self.bench.newest_is_served.load(Ordering::Relaxed);
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

    /// Makes one check, and tells of it.
    async fn make(&self, check: &'static Check) -> Verdict {
        let of = self.wanted.len();
        // What waits beside the others is told of when it alone is left.
        if check.when != When::Beside {
            let mut told = self.told();
            let done = told.results.len();
            (told.progress)(Progress::Begins { check, done, of });
        }
        let result = judge(self.bench, check).await;
        let verdict = result.verdict.clone();
        let mut told = self.told();
        (told.progress)(Progress::Done(&result));
        told.results.push(result);
        verdict
    }

    /// Tells of what is waited for until that is over.
    async fn tells_until(&self, mut is_over: oneshot::Receiver<()>) {
        let begun = Instant::now();
        loop {
            {
                let mut told = self.told();
                let is_left = |check: &&Check| !told.results.iter().any(|result| result.check.id == check.id);
                let left: Vec<&'static Check> = self.at(When::Beside).filter(is_left).collect();
                let (done, of) = (told.results.len(), self.wanted.len());
                if !left.is_empty() {
                    (told.progress)(Progress::Waits { left: &left, so_far: begun.elapsed(), done, of });
                }
            }
            if within(TICK, &mut is_over).await.is_some() {
                return;
            }
        }
    }

    fn told(&self) -> MutexGuard<'_, Told<'r>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes one check.
async fn judge(bench: &Bench<'_>, check: &'static Check) -> CheckResult {
    let begun = Instant::now();
    let case = Case::new(bench);
    let judged = match bench.lacks(check.needs) {
        Some(why) => Err(Stop::Unseen(why)),
        None => (check.judge)(&case).await,
    };
    case.ends().await;
    let verdict = match judged {
        Ok(()) => Verdict::Pass,
        Err(Stop::Fail(why)) => Verdict::Fail(why),
        Err(Stop::Unseen(why)) => Verdict::NotObservable(why),
        Err(Stop::Skip(why)) => Verdict::Skipped(why),
    };
    CheckResult { check, verdict, evidence: case.log.take(), took: begun.elapsed() }
}
