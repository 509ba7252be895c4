//! What came of each round: one line of JSON, kept in `target/chaos` under the sources it was played with, so
//! that a long run can be interrupted and goes on.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::record::Kind;
use super::{Broken, Record};

/// A round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its seed.
    pub seed: u64,
    /// What was counted.
    #[serde(flatten)]
    pub sums: Sums,
    /// How much memory the playing process had afterwards, in KiB; 0 where the system does not say.
    pub memory: u64,
    /// What was broken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
}

/// What is counted of rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sums {
    /// Steps that were not void.
    pub steps: u64,
    /// Diffs that agents opened.
    pub diffs: u64,
    /// Decisions that desks were told are taken.
    pub decisions: u64,
    /// Edits, likewise.
    pub edits: u64,
    /// Outcomes that agents heard.
    pub outcomes: u64,
    /// Companions that were killed.
    pub kills: u64,
    /// Companions that were stopped, handed over or hidden.
    pub ends: u64,
    /// Connections that were cut, held or stalled.
    pub cuts: u64,
    /// Companions and agents that were frozen.
    pub freezes: u64,
    /// Drafts that were left, as they should be.
    pub drafts: u64,
    /// Ports that a squatter has had.
    #[serde(default)]
    pub squats: u64,
    /// How long it took, in milliseconds.
    pub took: u64,
}

impl Sums {
    /// Of one round.
    pub fn of(record: &Record, took: u64) -> Self {
        use super::record::Answer::Taken;
        let troubles = |kinds: &[Kind]| {
            record.troubles.iter().filter(|trouble| kinds.contains(&trouble.kind)).count() as u64
        };
        Self {
            steps: record.steps as u64,
            diffs: record.proposals.len() as u64,
            decisions: record.decisions.iter().filter(|one| one.answered.1 == Taken).count() as u64,
            edits: record.edits.iter().filter(|one| one.answered.1 == Taken).count() as u64,
            outcomes: record.proposals.iter().filter(|one| one.outcome.is_some()).count() as u64,
            kills: troubles(&[Kind::Killed]),
            ends: troubles(&[Kind::HandedOver, Kind::Stopped, Kind::Hidden]),
            cuts: troubles(&[Kind::Link]),
            freezes: troubles(&[Kind::Frozen, Kind::AgentFrozen]),
            drafts: record.left.drafts.len() as u64,
            squats: record.squats as u64,
            took,
        }
    }

    fn add(&mut self, other: &Self) {
        let Self {
            steps,
            diffs,
            decisions,
            edits,
            outcomes,
            kills,
            ends,
            cuts,
            freezes,
            drafts,
            squats,
            took,
        } = other;
        self.steps += steps;
        self.diffs += diffs;
        self.decisions += decisions;
        self.edits += edits;
        self.outcomes += outcomes;
        self.kills += kills;
        self.ends += ends;
        self.cuts += cuts;
        self.freezes += freezes;
        self.drafts += drafts;
        self.squats += squats;
        self.took += took;
    }
}

/// All rounds that were played with the same sources.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    rounds: BTreeMap<u64, Entry>,
    /// In the order they were played by this process.
    played: Vec<u64>,
}

impl Log {
    /// The log of this name.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn open(directory: &Path, name: &str) -> Result<Self> {
        let path = directory.join(format!("{name}.jsonl"));
        let cannot = || format!("cannot keep results in {}", path.display());
        fs::create_dir_all(directory).with_context(cannot)?;
        let written = fs::read_to_string(&path).unwrap_or_default();
        // A line that was cut short is a round that is played again.
        let entries = written.lines().filter_map(|line| serde_json::from_str::<Entry>(line).ok());
        let rounds = entries.map(|entry| (entry.seed, entry)).collect();
        let mut file = File::options().create(true).append(true).open(&path).with_context(cannot)?;
        if !written.is_empty() && !written.ends_with('\n') {
            writeln!(file).with_context(cannot)?;
        }
        Ok(Self { path, file, rounds, played: Vec::new() })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What came of a round, if it was played.
    pub fn get(&self, seed: u64) -> Option<&Entry> {
        self.rounds.get(&seed)
    }

    /// Takes a round down.
    ///
    /// # Errors
    /// When the disk does not let us.
    pub fn put(&mut self, seed: u64, record: &Record, broken: &[Broken], took: u64) -> Result<()> {
        let broken = broken.iter().map(ToString::to_string).collect();
        let entry = Entry { seed, sums: Sums::of(record, took), memory: memory(), broken };
        let mut line = serde_json::to_string(&entry)?;
        line.push('\n');
        self.file
            .write_all(line.as_bytes())
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.rounds.insert(seed, entry);
        self.played.push(seed);
        Ok(())
    }

    /// The sums over these seeds, how many of them were played, and which of them broke something.
    pub fn sums(&self, seeds: std::ops::Range<u64>) -> (Sums, u64, Vec<u64>) {
        let mut sums = Sums::default();
        let (mut rounds, mut broken) = (0, Vec::new());
        for (seed, entry) in self.rounds.range(seeds) {
            sums.add(&entry.sums);
            rounds += 1;
            if !entry.broken.is_empty() {
                broken.push(*seed);
            }
        }
        (sums, rounds, broken)
    }

    /// The memory in KiB after so many rounds of this process, at each quarter of what it played since it was
    /// warm.
    pub fn memory_curve(&self) -> Vec<(usize, u64)> {
        let Some(last) = self.played.len().checked_sub(1).filter(|last| *last > WARM) else {
            return Vec::new();
        };
        let points = (0..=4).map(|quarter| WARM + (last - WARM) * quarter / 4);
        points.map(|at| (at + 1, self.rounds[&self.played[at]].memory)).collect()
    }
}

/// After so many rounds everything was done once that takes memory for good.
pub const WARM: usize = 200;
/// How much a process may have grown since then, in KiB.
pub const GROWS_AT_MOST: u64 = 8 << 10;

/// The resident set of this process in KiB.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_played_is_known_again_and_a_line_that_was_cut_short_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let mut log = Log::open(directory.path(), "x").unwrap();
        log.put(1, &Record::default(), &[], 5).unwrap();
        log.put(2, &Record::default(), &[], 5).unwrap();
        let path = log.path().to_owned();
        drop(log);
        let written = fs::read_to_string(&path).unwrap();
        fs::write(&path, &written[..written.len() - 9]).unwrap();
        let mut log = Log::open(directory.path(), "x").unwrap();
        assert!(log.get(1).is_some() && log.get(2).is_none());
        log.put(2, &Record::default(), &[], 5).unwrap();
        let log = Log::open(directory.path(), "x").unwrap();
        let (sums, rounds, broken) = log.sums(0..3);
        assert_eq!((sums.took, rounds, broken.len()), (10, 2, 0));
    }
}
