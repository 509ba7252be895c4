//! The results of rounds, one line of JSON each. `target/chaos` has a file for each version of the sources,
//! so that an interrupted run can continue.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::oracle::Violation;
use super::record::{Record, Reply, TroubleKind};
use crate::procfs::status_field;

/// The result of a round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundResult {
    /// The seed of the round.
    pub seed: u64,
    /// The counts.
    #[serde(flatten)]
    pub totals: Totals,
    /// The resident set of this process after the round, in KiB; 0 if the system does not report it.
    pub memory: u64,
    /// The violations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
}

/// Declares [`Totals`]: its counts, and how each is taken from the record of a round.
macro_rules! totals {
    ($record:ident; $($(#[$doc:meta])* $name:ident: $count:expr,)*) => {
        /// Counts of one round or of several.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct Totals {
            $($(#[$doc])* pub $name: u64,)*
            /// Duration in milliseconds.
            pub took: u64,
        }

        impl Totals {
            fn of($record: &Record, took: u64) -> Self {
                Self { $($name: $count as u64,)* took }
            }

            fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
                self.took += other.took;
            }
        }
    };
}

totals! {
    record;
    /// Steps that were carried out.
    steps: record.steps,
    /// Diffs that agents opened.
    diffs: record.proposals.len(),
    /// Decisions that companions accepted.
    decisions: record.decisions.iter().filter(|decision| decision.reply == Reply::Taken).count(),
    /// Edits that companions accepted.
    edits: record.edits.iter().filter(|edit| edit.reply == Reply::Taken).count(),
    /// Outcomes that agents received.
    outcomes: record.proposals.iter().filter(|proposal| proposal.outcome.is_some()).count(),
    /// Companions that were killed.
    kills: troubles(record, &[TroubleKind::Killed]),
    /// Companions that were stopped, were handed over, or lost their editor.
    ends: troubles(record, &[TroubleKind::HandedOver, TroubleKind::Stopped, TroubleKind::EditorGone]),
    /// Connections that were cut, held or stalled.
    cuts: troubles(record, &[TroubleKind::Link]),
    /// Companions and agents that were frozen.
    freezes: troubles(record, &[TroubleKind::Frozen, TroubleKind::AgentFrozen]),
    /// Drafts that are left at the ends of rounds.
    drafts: record.leftovers.drafts.len(),
    /// Ports that a squatter took.
    squats: record.squats,
    /// Tool calls that passed hooks.
    calls: record.calls.len(),
    /// Calls that the hooks allowed to write.
    writes: record.calls.iter().filter(|call| call.may_write()).count(),
    /// Calls with a hook that was killed, late or missing.
    dead_hooks: record.calls.iter().filter(|call| call.runs.iter().any(|run| run.end.is_dead())).count(),
    /// Calls in which the agent used the arguments of another hook.
    outvoted: record.calls.iter().filter(|call| call.is_outvoted()).count(),
    /// Runs of turn hooks.
    turns: record.turns.hooks.len(),
    /// Comments on turns that companions confirmed.
    comments: record.turns.comments.len(),
    /// Lists of changed files that desks received.
    lists: record.turns.lists,
}

/// Counts the troubles of these kinds.
fn troubles(record: &Record, kinds: &[TroubleKind]) -> usize {
    record.troubles.iter().filter(|trouble| kinds.contains(&trouble.kind)).count()
}

/// The results of all rounds that were played with the same sources.
#[derive(Debug)]
pub struct ResultLog {
    path: PathBuf,
    file: File,
    rounds: BTreeMap<u64, RoundResult>,
    /// The seeds that this process has played, in order.
    played: Vec<u64>,
}

impl ResultLog {
    /// Opens the log of this name.
    pub fn open(directory: &Path, name: &str) -> Result<Self> {
        let path = directory.join(format!("{name}.jsonl"));
        let cannot = || format!("cannot keep results in {}", path.display());
        fs::create_dir_all(directory).with_context(cannot)?;
        let written = fs::read_to_string(&path).unwrap_or_default();
        // A truncated line counts as no result, so its round is played again.
        let entries = written.lines().filter_map(|line| serde_json::from_str::<RoundResult>(line).ok());
        let rounds = entries.map(|entry| (entry.seed, entry)).collect();
        let mut file = File::options().create(true).append(true).open(&path).with_context(cannot)?;
        if !written.is_empty() && !written.ends_with('\n') {
            writeln!(file).with_context(cannot)?;
        }
        Ok(Self { path, file, rounds, played: Vec::new() })
    }

    /// The path of the log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the result of a round, if it was played.
    pub fn get(&self, seed: u64) -> Option<&RoundResult> {
        self.rounds.get(&seed)
    }

    /// Appends the result of a round.
    pub fn put(&mut self, seed: u64, record: &Record, violations: &[Violation], took: u64) -> Result<()> {
        let broken = violations.iter().map(ToString::to_string).collect();
        let memory = status_field("self", "VmRSS").unwrap_or(0);
        let entry = RoundResult { seed, totals: Totals::of(record, took), memory, broken };
        let mut line = serde_json::to_string(&entry)?;
        line.push('\n');
        self.file
            .write_all(line.as_bytes())
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.rounds.insert(seed, entry);
        self.played.push(seed);
        Ok(())
    }

    /// Returns the totals of the played seeds in this range, their number, and the seeds that broke a rule.
    pub fn totals(&self, seeds: std::ops::Range<u64>) -> (Totals, u64, Vec<u64>) {
        let mut totals = Totals::default();
        let (mut rounds, mut broken) = (0, Vec::new());
        for (seed, entry) in self.rounds.range(seeds) {
            totals.add(&entry.totals);
            rounds += 1;
            if !entry.broken.is_empty() {
                broken.push(*seed);
            }
        }
        (totals, rounds, broken)
    }

    /// Returns the memory in KiB with the number of rounds that this process had played: after the warm-up,
    /// and after each quarter of the rounds since.
    pub fn memory_curve(&self) -> Vec<(usize, u64)> {
        let Some(last) = self.played.len().checked_sub(1).filter(|last| *last > WARM_UP_ROUNDS) else {
            return Vec::new();
        };
        let points = (0..=4).map(|quarter| WARM_UP_ROUNDS + (last - WARM_UP_ROUNDS) * quarter / 4);
        points.map(|index| (index + 1, self.rounds[&self.played[index]].memory)).collect()
    }
}

/// The rounds after which the process has allocated everything that it keeps.
pub const WARM_UP_ROUNDS: usize = 200;
/// The growth of the process that is allowed after the warm-up, in KiB.
pub const MAX_GROWTH_KIB: u64 = 8 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_keeps_results_and_drops_truncated_lines() {
        let directory = tempfile::tempdir().unwrap();
        let mut log = ResultLog::open(directory.path(), "x").unwrap();
        log.put(1, &Record::default(), &[], 5).unwrap();
        log.put(2, &Record::default(), &[], 5).unwrap();
        let path = log.path().to_owned();
        drop(log);
        let written = fs::read_to_string(&path).unwrap();
        fs::write(&path, &written[..written.len() - 9]).unwrap();
        let mut log = ResultLog::open(directory.path(), "x").unwrap();
        assert!(log.get(1).is_some() && log.get(2).is_none());
        log.put(2, &Record::default(), &[], 5).unwrap();
        let log = ResultLog::open(directory.path(), "x").unwrap();
        let (totals, rounds, broken) = log.totals(0..3);
        assert_eq!((totals.took, rounds, broken.len()), (10, 2, 0));
    }
}
