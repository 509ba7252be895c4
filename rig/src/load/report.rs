//! The results: a table by the minute, and the rules that were broken.

use std::fmt::Write as _;
use std::sync::atomic::Ordering::Relaxed;

use serde::Serialize;

use super::counters::Spread;
use super::host::Figures;
use super::world::{Plan, World};

/// An agent hears of the first change that it does not know within 200 ms; under load it may take twice as
/// long. In milliseconds.
const TOLD_WITHIN: u64 = 400;
/// How many of a million updates may come later than that plus this machine's own lateness.
const TOLD_LATE: u64 = 10_000;
/// The longest time that an agent may wait for news, however busy this machine is, in milliseconds.
const STARVED: u64 = 5_000;
/// How late updates come is judged only if the host waited for a processor in at most so many percent of the
/// time. A thousand agents, which run on the same two processors, make it wait in 17.
const CROWDED: u64 = 25;
/// How much more memory the host may need in the last minute than in the second one, in percent.
const MORE_MEMORY: u64 = 10;

/// One minute, or the part of it until the end.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Minute {
    /// Its seconds.
    pub seconds: u64,
    /// Agents that the host said were connected, at its end.
    pub agents: usize,
    /// The median of the host's resident set, in KiB.
    pub resident: u64,
    /// The most descriptors that the host had open.
    pub open: u64,
    /// How much of one processor the host took, in percent.
    pub computing: u64,
    /// How much of the time the host waited for a processor that other processes had, in percent.
    pub waiting: u64,
    /// Requests that agents made.
    pub requests: u64,
    /// Contexts that reached agents that read.
    pub updates: u64,
    /// Diffs that ended as they should.
    pub diffs: u64,
    /// All errors.
    pub errors: u64,
    /// The time from the first change that an agent did not know until it heard of it, in milliseconds: the
    /// longest of the quickest 99 %, and the longest of all.
    pub told: [u64; 2],
    /// The time from a proposal to its outcome, likewise.
    pub decided: [u64; 2],
    /// The lateness of this process itself, likewise.
    pub late: [u64; 2],
    #[serde(skip)]
    samples: Vec<u64>,
    #[serde(skip)]
    before: Figures,
}

/// The results of a run.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Sessions at once.
    pub sessions: usize,
    /// By the minute.
    pub minutes: Vec<Minute>,
    /// Sessions in all.
    pub begun: u64,
    /// Agents that went with a diff open.
    pub gone: u64,
    /// The resident set before anybody came, at most, and after all had gone, in KiB.
    pub resident: [u64; 3],
    /// Descriptors, likewise.
    pub open: [u64; 3],
    /// Every diff that was begun came to an end in time.
    pub settled: bool,
    /// All agents that read had the same last context.
    pub agree: bool,
    /// The host forgot all sessions in time.
    pub freed: bool,
    /// The run ended before its time.
    pub interrupted: bool,
    /// The first errors, word for word.
    pub errors: Vec<String>,
    /// The rules that were broken.
    pub broken: Vec<String>,
    #[serde(skip)]
    running: Minute,
    #[serde(skip)]
    last: Figures,
    #[serde(skip)]
    told: Spread,
    #[serde(skip)]
    late: Spread,
    /// The run is long enough to judge memory and lateness.
    #[serde(skip)]
    full: bool,
}

/// The part of a sum that is in none of these minutes yet.
fn since(all: u64, minutes: &[Minute], field: impl Fn(&Minute) -> u64) -> u64 {
    all - minutes.iter().map(field).sum::<u64>()
}

impl Report {
    pub(super) fn new(plan: Plan, base: Figures) -> Self {
        Self {
            sessions: plan.sessions,
            resident: [base.resident, base.resident, 0],
            open: [base.open, base.open, 0],
            running: Minute { before: base, ..Minute::default() },
            last: base,
            full: plan.seconds >= 180,
            ..Self::default()
        }
    }

    /// Adds the present figures of the host; returns a line for the person once a minute.
    pub(super) fn look(&mut self, figures: Figures, world: &World) -> Option<String> {
        self.resident[1] = self.resident[1].max(figures.resident);
        self.open[1] = self.open[1].max(figures.open);
        let minute = &mut self.running;
        minute.samples.push(figures.resident);
        minute.open = minute.open.max(figures.open);
        minute.seconds += 1;
        self.last = figures;
        (minute.seconds == 60).then(|| {
            self.close(figures, world);
            self.minutes.last().map(|minute| row(self.minutes.len(), minute)).unwrap_or_default()
        })
    }

    fn close(&mut self, figures: Figures, world: &World) {
        let mut minute = std::mem::take(&mut self.running);
        let (tally, before) = (&world.counters, &self.minutes);
        minute.samples.sort_unstable();
        minute.resident = minute.samples.get(minute.samples.len() / 2).copied().unwrap_or(0);
        minute.agents = world.agents.load(Relaxed);
        let percent = |milliseconds: u64| milliseconds / (minute.seconds.max(1) * 10);
        minute.computing = percent(figures.computed.saturating_sub(minute.before.computed));
        minute.waiting = percent(figures.waited.saturating_sub(minute.before.waited));
        minute.requests = since(tally.requests.load(Relaxed), before, |minute| minute.requests);
        minute.updates = since(tally.updates.load(Relaxed), before, |minute| minute.updates);
        minute.diffs = since(tally.diffs.load(Relaxed), before, |minute| minute.diffs);
        minute.errors = since(tally.errors.load(Relaxed), before, |minute| minute.errors);
        let (told, decided, late) = (tally.told_after.take(), tally.decided_after.take(), tally.late.take());
        let both = |spread: &Spread| [spread.within(990), spread.longest()];
        (minute.told, minute.decided, minute.late) = (both(&told), both(&decided), both(&late));
        self.told.add(&told);
        self.late.add(&late);
        self.running.before = figures;
        self.minutes.push(minute);
    }

    /// Adds the figures of the host after all agents have gone.
    pub(super) fn left(&mut self, figures: Figures) {
        self.resident[2] = figures.resident;
        self.open[2] = figures.open;
    }

    pub(super) fn end(&mut self, world: &World, interrupted: bool) {
        self.close(self.last, world);
        let tally = &world.counters;
        self.begun = tally.sessions.load(Relaxed);
        self.gone = tally.vanished.load(Relaxed);
        self.errors = tally.quoted();
        self.interrupted = interrupted;
        self.broken = self.judge(tally.errors.load(Relaxed), tally.given_up.load(Relaxed));
    }

    /// Whether this machine was too busy, or the time too short, to tell how late updates come.
    fn is_crowded(&self) -> bool {
        !self.full || self.minutes.iter().any(|minute| minute.waiting > CROWDED)
    }

    fn judge(&self, errors: u64, given_up: u64) -> Vec<String> {
        let own = self.late.within(990);
        let late = self.told.beyond(TOLD_WITHIN + own);
        let (second, last) = match self.minutes.as_slice() {
            [_, second, .., last, _rest] if self.full && !self.interrupted => {
                (second.resident, last.resident)
            }
            _ => (0, 0),
        };
        let rules = [
            (errors == 0, format!("{errors} errors")),
            (self.settled, "not every diff came to its end".into()),
            (
                self.gone == given_up,
                format!("{} agents went with a diff open, and {given_up} views closed", self.gone),
            ),
            (self.agree, "not all agents were told the same at the end".into()),
            (
                self.is_crowded() || late <= TOLD_LATE,
                format!(
                    "{late} of a million updates came later than {TOLD_WITHIN} ms (and {own} ms, by which \
                        this machine is late)"
                ),
            ),
            (
                self.told.longest() <= STARVED + self.late.longest(),
                format!("an agent was told nothing for {} ms", self.told.longest()),
            ),
            (self.freed, "the host did not forget all sessions".into()),
            (
                self.open[2] <= self.open[0],
                format!("{} descriptors are open where there were {}", self.open[2], self.open[0]),
            ),
            (
                last * 100 <= second * (100 + MORE_MEMORY),
                format!("in the last minute the host needed {last} KiB, in the second {second}"),
            ),
        ];
        rules.into_iter().filter(|(is_kept, _)| !is_kept).map(|(_, broken)| broken).collect()
    }
}

const HEADER: &str = "minute  agents  resident   open  host  kept waiting   requests    updates   diffs  \
    errors    told 99 %/most   decided 99 %/most   own lateness";

fn row(number: usize, minute: &Minute) -> String {
    let both = |[most, longest]: [u64; 2]| format!("{most} / {longest} ms");
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
        if self.is_crowded() {
            writeln!(
                f,
                "how late updates came is not judged: others had the processors, or it was too short"
            )?;
        }
        self.errors.iter().try_for_each(|error| writeln!(f, "error: {error}"))?;
        self.broken.iter().try_for_each(|rule| writeln!(f, "BROKEN: {rule}"))
    }
}
