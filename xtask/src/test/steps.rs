//! The steps of a run: each has a name and a usual duration, and reports its beginning. Steps that do not
//! disturb each other run in parallel.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::output::Output;
use super::run_result::Outcome;

/// The work of a step, which prints its lines to an output.
type Work<'a> = Box<dyn FnOnce(&mut Output) -> anyhow::Result<Outcome> + Send + 'a>;

/// A step that has not run yet.
pub(super) struct Step<'a> {
    pub(super) name: String,
    /// The usual duration on two idle processors.
    pub(super) usually: Duration,
    pub(super) work: Work<'a>,
}

/// Numbers the steps of a run, and reports which one begins.
#[derive(Debug)]
pub(super) struct Counter {
    begun: usize,
    all: usize,
}

impl Counter {
    pub(super) fn of(all: usize) -> Self {
        Self { begun: 0, all }
    }

    /// Adds steps to the number of known ones.
    pub(super) fn add(&mut self, steps: usize) {
        self.all += steps;
    }

    /// Reports which step begins, and its usual duration.
    pub(super) fn begin(&mut self, name: &str, usually: Duration) {
        self.begun += 1;
        let usually = match usually.as_secs() {
            0..3 => "some seconds".to_owned(),
            _ => minutes(usually),
        };
        println!("\n==> step {} of {}: {name}, as a rule {usually}", self.begun, self.all);
    }
}

/// Runs the steps, the longest first and `lanes` of them in parallel.
pub(super) fn run(mut steps: Vec<Step<'_>>, lanes: usize, counter: &mut Counter) -> anyhow::Result<Outcome> {
    steps.sort_by_key(|step| std::cmp::Reverse(step.usually));
    let queue = Mutex::new((VecDeque::from(steps), counter));
    let total = Mutex::new(Outcome::default());
    let lane = || -> anyhow::Result<()> {
        loop {
            let next = {
                let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(step) = queue.0.pop_front() else { return Ok(()) };
                queue.1.begin(&step.name, step.usually);
                step
            };
            let mut output = if lanes == 1 { Output::at_once() } else { Output::kept() };
            let started = Instant::now();
            let outcome = (next.work)(&mut output)?;
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            output.line(format!("{}: {} after {}", next.name, outcome.sum, minutes(started.elapsed())));
            output.finish();
            total.add(outcome);
        }
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        lanes
            .into_iter()
            .try_for_each(|lane| lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(total.into_inner().unwrap_or_else(PoisonError::into_inner))
}

pub(super) fn minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::libtest::Sum;

    #[test]
    fn minutes_are_named_from_sixty_seconds_on() {
        assert_eq!(minutes(Duration::from_millis(59_900)), "59 s");
        assert_eq!(minutes(Duration::from_secs(125)), "2 min 5 s");
    }

    #[test]
    fn steps_of_two_lanes_add_up() {
        let step = |passed: usize| Step {
            name: format!("step {passed}"),
            usually: Duration::from_secs(passed as u64),
            work: Box::new(move |output: &mut Output| {
                output.line("a line");
                let sum = Sum { passed, failed: 0, skipped: 1 };
                Ok(Outcome { sum, ..Outcome::default() })
            }),
        };
        let outcome = run((1..=5).map(step).collect(), 2, &mut Counter::of(5)).unwrap();
        assert_eq!(outcome.sum, Sum { passed: 15, failed: 0, skipped: 5 });
    }

    #[test]
    fn a_step_that_cannot_run_ends_the_run() {
        let step = Step {
            name: "broken".into(),
            usually: Duration::ZERO,
            work: Box::new(|_: &mut Output| anyhow::bail!("cannot start")),
        };
        assert!(run(vec![step], 2, &mut Counter::of(1)).is_err());
    }
}
