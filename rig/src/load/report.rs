//! The results of a run: a table with a row for each minute, and the rules that were broken.

use std::fmt::Write as _;
use std::sync::atomic::Ordering::Relaxed;

use serde::Serialize;

use super::counters::HistogramSnapshot;
use super::host::Figures;
use super::world::{Plan, World};

/// The longest time from a change to its context update, in milliseconds. The companion waits 200 ms at most;
/// under load it may take twice as long.
const MAX_CONTEXT_LATENCY: u64 = 400;
/// The number of updates in a million that may take longer than that plus this process's own delay.
const MAX_LATE_PER_MILLION: u64 = 10_000;
/// The longest time from a change to its context update on a busy machine as well, in milliseconds.
const MAX_WAIT: u64 = 5_000;
/// The latency of updates is judged only if the host waited for a processor in at most so many percent of the
/// time. With a thousand agents on the same two processors, it waits in 17 %.
const MAX_WAITING_PERCENT: u64 = 25;
/// The growth of the host's memory from the second to the last minute that is allowed, in percent.
const MAX_GROWTH_PERCENT: u64 = 10;

/// The figures of one minute, or of the part of a minute until the end.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Minute {
    /// The length, in seconds.
    pub seconds: u64,
    /// Agents that were connected at the end of the minute, as the host reported.
    pub agents: usize,
    /// The median of the host's resident set, in KiB.
    pub resident: u64,
    /// The largest number of the host's open descriptors.
    pub open: u64,
    /// The host's use of one processor, in percent.
    pub computing: u64,
    /// The part of the time in which the host waited for a processor, in percent.
    pub waiting: u64,
    /// Requests that agents made.
    pub requests: u64,
    /// Context updates that agents have read.
    pub updates: u64,
    /// Diffs with the expected outcome.
    pub diffs: u64,
    /// All errors.
    pub errors: u64,
    /// The time from the oldest change that an agent has not received to the update that covers the change:
    /// the 99th percentile and the maximum, in milliseconds.
    pub told: [u64; 2],
    /// The time from a proposal to its outcome: the 99th percentile and the maximum, in milliseconds.
    pub decided: [u64; 2],
    /// The scheduling delay of this process: the 99th percentile and the maximum, in milliseconds.
    pub late: [u64; 2],
    #[serde(skip)]
    samples: Vec<u64>,
    #[serde(skip)]
    before: Figures,
}

/// The results of a run.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// The number of sessions that are open at once.
    pub sessions: usize,
    /// The figures of each minute.
    pub minutes: Vec<Minute>,
    /// The number of sessions that were opened in all.
    pub begun: u64,
    /// The number of agents that ended with a diff open.
    pub gone: u64,
    /// The host's resident set in KiB: before the first agent, the maximum, and after the last agent.
    pub resident: [u64; 3],
    /// The host's open descriptors at the same three times.
    pub open: [u64; 3],
    /// Whether every diff that was opened has ended in time.
    pub settled: bool,
    /// Whether all agents that read had the same last context.
    pub agree: bool,
    /// Whether the host freed all sessions in time.
    pub freed: bool,
    /// Whether the person ended the run early.
    pub interrupted: bool,
    /// The first errors, verbatim.
    pub errors: Vec<String>,
    /// The rules that were broken.
    pub broken: Vec<String>,
    #[serde(skip)]
    running: Minute,
    #[serde(skip)]
    last: Figures,
    #[serde(skip)]
    context_latency: HistogramSnapshot,
    #[serde(skip)]
    own_delay: HistogramSnapshot,
    /// Whether the run is long enough to judge memory and latency.
    #[serde(skip)]
    is_full: bool,
}

/// Returns the part of a total that is not in these minutes yet.
fn rest_of(total: u64, minutes: &[Minute], field: impl Fn(&Minute) -> u64) -> u64 {
    total - minutes.iter().map(field).sum::<u64>()
}

impl Report {
    pub(super) fn new(plan: Plan, base: Figures) -> Self {
        Self {
            sessions: plan.sessions,
            resident: [base.resident, base.resident, 0],
            open: [base.open, base.open, 0],
            running: Minute { before: base, ..Minute::default() },
            last: base,
            is_full: plan.seconds >= 180,
            ..Self::default()
        }
    }

    /// Adds the present figures of the host. Returns a line for the person once a minute.
    pub(super) fn add_second(&mut self, figures: Figures, world: &World) -> Option<String> {
        self.resident[1] = self.resident[1].max(figures.resident);
        self.open[1] = self.open[1].max(figures.open);
        let minute = &mut self.running;
        minute.samples.push(figures.resident);
        minute.open = minute.open.max(figures.open);
        minute.seconds += 1;
        self.last = figures;
        (minute.seconds == 60).then(|| {
            self.close_minute(figures, world);
            self.minutes.last().map(|minute| row(self.minutes.len(), minute)).unwrap_or_default()
        })
    }

    fn close_minute(&mut self, figures: Figures, world: &World) {
        let mut minute = std::mem::take(&mut self.running);
        let (counters, earlier) = (&world.counters, &self.minutes);
        minute.samples.sort_unstable();
        minute.resident = minute.samples.get(minute.samples.len() / 2).copied().unwrap_or(0);
        minute.agents = world.agents.load(Relaxed);
        let percent = |milliseconds: u64| milliseconds / (minute.seconds.max(1) * 10);
        minute.computing = percent(figures.computed.saturating_sub(minute.before.computed));
        minute.waiting = percent(figures.waited.saturating_sub(minute.before.waited));
        minute.requests = rest_of(counters.requests.load(Relaxed), earlier, |minute| minute.requests);
        minute.updates = rest_of(counters.contexts_received.load(Relaxed), earlier, |minute| minute.updates);
        minute.diffs = rest_of(counters.expected_outcomes.load(Relaxed), earlier, |minute| minute.diffs);
        minute.errors = rest_of(counters.errors.load(Relaxed), earlier, |minute| minute.errors);
        let context_latency = counters.context_latency.take();
        let own_delay = counters.own_delay.take();
        let p99_and_longest = |counts: &HistogramSnapshot| [counts.quantile(990), counts.longest()];
        minute.told = p99_and_longest(&context_latency);
        minute.decided = p99_and_longest(&counters.decision_latency.take());
        minute.late = p99_and_longest(&own_delay);
        self.context_latency.add(&context_latency);
        self.own_delay.add(&own_delay);
        self.running.before = figures;
        self.minutes.push(minute);
    }

    /// Adds the figures of the host after all agents have ended.
    pub(super) fn add_last(&mut self, figures: Figures) {
        self.resident[2] = figures.resident;
        self.open[2] = figures.open;
    }

    /// Closes the last minute, and judges the run.
    pub(super) fn finish(&mut self, world: &World, interrupted: bool) {
        self.close_minute(self.last, world);
        let counters = &world.counters;
        self.begun = counters.sessions.load(Relaxed);
        self.gone = counters.agents_vanished.load(Relaxed);
        self.errors = counters.kept_errors();
        self.interrupted = interrupted;
        self.broken = self.judge(counters.errors.load(Relaxed), counters.reviews_closed.load(Relaxed));
    }

    /// Whether this machine was too busy, or the run too short, to judge the latency of updates.
    fn is_unfit_for_latency(&self) -> bool {
        !self.is_full || self.minutes.iter().any(|minute| minute.waiting > MAX_WAITING_PERCENT)
    }

    /// Returns the rules that the run broke.
    fn judge(&self, errors: u64, reviews_closed: u64) -> Vec<String> {
        let own_delay = self.own_delay.quantile(990);
        let late = self.context_latency.slower_than_per_million(MAX_CONTEXT_LATENCY + own_delay);
        let (second, last) = match self.minutes.as_slice() {
            [_, second, .., last, _rest] if self.is_full && !self.interrupted => {
                (second.resident, last.resident)
            }
            _ => (0, 0),
        };
        let rules = [
            (errors == 0, format!("{errors} errors")),
            (self.settled, "not every diff came to its end".into()),
            (
                self.gone == reviews_closed,
                format!("{} agents went with a diff open, and {reviews_closed} views closed", self.gone),
            ),
            (self.agree, "not all agents were told the same at the end".into()),
            (
                self.is_unfit_for_latency() || late <= MAX_LATE_PER_MILLION,
                format!(
                    "{late} of a million updates came later than {MAX_CONTEXT_LATENCY} ms (and \
                        {own_delay} ms, by which this machine is late)"
                ),
            ),
            (
                self.context_latency.longest() <= MAX_WAIT + self.own_delay.longest(),
                format!("an agent was told nothing for {} ms", self.context_latency.longest()),
            ),
            (self.freed, "the host did not forget all sessions".into()),
            (
                self.open[2] <= self.open[0],
                format!("{} descriptors are open where there were {}", self.open[2], self.open[0]),
            ),
            (
                last * 100 <= second * (100 + MAX_GROWTH_PERCENT),
                format!("in the last minute the host needed {last} KiB, in the second {second}"),
            ),
        ];
        rules.into_iter().filter(|(is_kept, _)| !is_kept).map(|(_, broken)| broken).collect()
    }
}

const HEADER: &str = "minute  agents  resident   open  host  kept waiting   requests    updates   diffs  \
    errors    told 99 %/most   decided 99 %/most   own lateness";

fn row(number: usize, minute: &Minute) -> String {
    let both = |[p99, longest]: [u64; 2]| format!("{p99} / {longest} ms");
    format!(
        "{number:>6}  {:>6}  {:>4} MiB  {:>5}  {:>2} %          {:>2} %  {:>9}  {:>9}  {:>6}  {:>6}  \
            {:>17}  {:>18}  {:>13}",
        minute.agents,
        minute.resident / 1024,
        minute.open,
        minute.computing,
        minute.waiting,
        minute.requests,
        minute.updates,
        minute.diffs,
        minute.errors,
        both(minute.told),
        both(minute.decided),
        both(minute.late),
    )
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut table = format!("{HEADER}\n");
        for (number, minute) in self.minutes.iter().enumerate() {
            let _ = writeln!(table, "{}", row(number + 1, minute));
        }
        let sum = |field: fn(&Minute) -> u64| self.minutes.iter().map(field).sum::<u64>();
        writeln!(
            f,
            "{table}\n{} sessions at once, {} in all; {} requests, {} updates delivered, {} diffs, {} \
                agents gone in mid-diff, {} errors",
            self.sessions,
            self.begun,
            sum(|minute| minute.requests),
            sum(|minute| minute.updates),
            sum(|minute| minute.diffs),
            self.gone,
            sum(|minute| minute.errors),
        )?;
        let [base, most, left] = self.resident.map(|kib| kib / 1024);
        writeln!(f, "resident set: {base} MiB before, {most} at most, {left} when all had gone")?;
        let [base, most, left] = self.open;
        writeln!(f, "descriptors: {base} before, {most} at most, {left} when all had gone")?;
        if self.is_unfit_for_latency() {
            writeln!(
                f,
                "how late updates came is not judged: others had the processors, or it was too short"
            )?;
        }
        self.errors.iter().try_for_each(|error| writeln!(f, "error: {error}"))?;
        self.broken.iter().try_for_each(|rule| writeln!(f, "BROKEN: {rule}"))
    }
}
