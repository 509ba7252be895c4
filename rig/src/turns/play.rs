//! Plays a life, step by step. The first error ends it.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::PathBuf;

use alongside_contract::turns::Moment;
use alongside_desk::UndoneFile;
use anyhow::{Context as _, Error, Result, ensure};

use super::change::Change;
use super::desk::Desk;
use super::judge::{Baseline, Finish, check_list};
use super::life::{Event, Life, Step};
use super::marking::{MarkedFile, Names, decisions, mark};
use super::stage::Stage;
use super::tree::{Class, Entry, Name, RepositoryFile, Tree, repository};
use crate::fewest::fewest;

/// The counts of one life or of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Turn reviews that were finished.
    pub reviews: u64,
    /// Files that were undone, as a whole or in part.
    pub undone: u64,
    /// Files whose undo was refused.
    pub refused: u64,
}

/// Plays a life.
///
/// # Errors
///
/// Fails with the first error, and the step in which it was found.
pub fn play(life: &Life) -> Result<Counts> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut player = Player::new(life).await?;
        for (index, step) in life.steps.iter().enumerate() {
            player
                .step(*step)
                .await
                .with_context(|| format!("step {} of {}: {step:?}", index + 1, life.steps.len()))?;
        }
        Ok(player.counts)
    })
}

/// Searches the shortest life that fails with the same kind of error.
pub fn minimise(life: &Life, error: &Error) -> Life {
    let kind = kind(error);
    let fails = |life: &Life| play(life).err().is_some_and(|error| self::kind(&error) == kind);
    let with = |steps: &[Step]| Life { steps: steps.to_vec(), ..life.clone() };
    let Ok(steps) = fewest(&life.steps, |steps| Ok::<_, Infallible>(fails(&with(steps))));
    with(&steps)
}

/// Returns the first words of an error, without names and texts.
fn kind(error: &Error) -> String {
    let root = error.root_cause().to_string();
    root.chars()
        .filter(|letter| letter.is_alphabetic() || *letter == ' ')
        .take(200)
        .collect::<String>()
        .split(' ')
        .filter(|word| word.len() > 2)
        .take(6)
        .collect::<Vec<_>>()
        .join(" ")
}

struct Player {
    stage: Stage,
    desk: Desk,
    /// The state at the first prompt, or after the last finished turn review.
    baseline: Option<Baseline>,
    review: Option<OpenReview>,
    /// The files that the last finish undid, with their drafts.
    undone: Vec<(Name, UndoneFile)>,
    counts: Counts,
}

/// The files of each git directory.
type Repositories = Vec<BTreeMap<PathBuf, RepositoryFile>>;

/// A turn review that is not finished.
struct OpenReview {
    names: Names,
    /// The files on disk at the last look.
    looked_at: Tree,
    /// The files that have changed between two looks.
    outdated: BTreeSet<Name>,
}

impl Player {
    async fn new(life: &Life) -> Result<Self> {
        let stage = Stage::new(life.repository).await?;
        let desk = stage.desk();
        let counts = Counts::default();
        Ok(Self { stage, desk, baseline: None, review: None, undone: Vec::new(), counts })
    }

    async fn step(&mut self, Step(event): Step) -> Result<()> {
        match event {
            Event::Change(change) => self.change(change),
            Event::Prompt { session } => self.take_snapshot(Moment::Prompt, session),
            Event::End { session } => self.take_snapshot(Moment::End, session),
            Event::Review { marks_seed } if self.baseline.is_some() => self.review(marks_seed).await,
            Event::LookAgain if self.review.is_some() => self.look_again().await,
            Event::Finish { asks } => match self.review.take() {
                Some(review) => self.finish(review, asks).await,
                None => Ok(()),
            },
            Event::RestoreDrafts => self.restore_drafts(),
            Event::Review { .. } | Event::LookAgain => Ok(()),
        }
    }

    fn disk(&self) -> Result<Tree> {
        Tree::read(&self.stage.top)
    }

    fn change(&self, change: Change) -> Result<()> {
        change.carry_out(&self.stage.top)
    }

    fn take_snapshot(&mut self, moment: Moment, session: u8) -> Result<()> {
        let before = self.disk()?;
        let repositories = self.repositories()?;
        self.stage.take_snapshot(moment, session)?;
        ensure!(self.disk()? == before, "a snapshot changes the project");
        self.check_repositories(&repositories)?;
        if self.baseline.is_none() && moment == Moment::Prompt {
            self.baseline = Some(Baseline::of(&before));
        }
        Ok(())
    }

    /// Requests a look, and checks the list. Returns the names and the files on disk.
    async fn look(&mut self) -> Result<(Names, Tree)> {
        let looked_at = self.disk()?;
        let repositories = self.repositories()?;
        self.desk.look().await?;
        ensure!(self.disk()? == looked_at, "a look changes the project");
        self.check_repositories(&repositories)?;
        let baseline = self.baseline.as_ref().context("there is no baseline")?;
        let names = Names::of(&baseline.kept, &looked_at, &baseline.others);
        check_list(self.desk.turn()?, &names, baseline, &looked_at)?;
        Ok((names, looked_at))
    }

    /// Opens the open files again, so that their texts are those of the last look.
    async fn reopen_files(&mut self) -> Result<()> {
        for path in self.desk.open_files() {
            // A file without texts any more is closed by the refusal.
            drop(self.desk.open(&path).await?);
        }
        Ok(())
    }

    async fn review(&mut self, marks_seed: u64) -> Result<()> {
        let (names, looked_at) = self.look().await?;
        self.reopen_files().await?;
        let baseline = self.baseline.as_ref().context("there is no baseline")?;
        mark(&mut self.desk, marks_seed, &names, &baseline.kept, &looked_at).await?;
        self.review = Some(OpenReview { names, looked_at, outdated: BTreeSet::new() });
        Ok(())
    }

    /// Requests another look, and checks that the marks of unchanged files stay.
    async fn look_again(&mut self) -> Result<()> {
        let Some(before) = self.review.take() else { return Ok(()) };
        let marked = decisions(&self.desk, &before.names)?;
        let (names, looked_at) = self.look().await?;
        self.reopen_files().await?;
        let (old_tree, new_tree) = (&before.looked_at.entries, &looked_at.entries);
        let changed = |name: &Name| old_tree.get(name) != new_tree.get(name);
        let all = old_tree.keys().chain(new_tree.keys());
        let mut outdated = before.outdated;
        outdated.extend(all.filter(|name| changed(name)).cloned());
        let marked_now = decisions(&self.desk, &names)?;
        for old in &marked {
            let is_same = |one: &MarkedFile| one.path == old.path && one.decision == old.decision;
            // The file from which this file was renamed counts too: another file may have replaced it.
            let paths = [Some(&old.path), old.from.as_ref()].into_iter().flatten();
            let is_untouched = outdated.is_empty() || paths.clone().all(|name| !outdated.contains(name));
            let is_still_listed = self.desk.turn()?.files.iter().any(|file| {
                file.path == old.file.path && file.from == old.file.from && file.change == old.file.change
            });
            // Snapshots contain only files of this class.
            let is_untouched = is_untouched && Class::of(&old.path) == Class::Kept;
            let is_lost = is_untouched && is_still_listed && !marked_now.iter().any(is_same);
            ensure!(!is_lost, "a mark is lost: {:?}", old.file);
        }
        self.review = Some(OpenReview { names, looked_at, outdated });
        Ok(())
    }

    async fn finish(&mut self, review: OpenReview, asks: bool) -> Result<()> {
        let before = self.disk()?;
        let repositories = self.repositories()?;
        let (decided, finished) = loop {
            self.desk.receive()?;
            let decided = decisions(&self.desk, &review.names)?;
            if let Some(finished) = self.desk.finish(asks).await? {
                break (decided, finished);
            }
        };
        let after = self.disk()?;
        self.check_repositories(&repositories)?;
        let baseline = self.baseline.as_ref().context("there is no baseline")?;
        let OpenReview { looked_at, outdated, .. } = &review;
        let (before, after) = (&before, &after);
        let finish =
            Finish { baseline, looked_at, before, after, decided: &decided, finished: &finished, outdated };
        let next = finish.judge(asks)?;
        self.counts.reviews += 1;
        self.counts.refused += finished.files.iter().filter(|file| file.refused.is_some()).count() as u64;
        self.undone = decided
            .into_iter()
            .map(|decided| decided.path)
            .zip(finished.files)
            .filter(|(_, file)| file.refused.is_none())
            .collect();
        self.counts.undone += self.undone.len() as u64;
        if let Some(next) = next {
            self.baseline = Some(next);
        }
        // The desk has the next list before the reply to the finish, so that list is checked here.
        let baseline = self.baseline.as_ref().context("there is no baseline")?;
        let names = Names::of(&baseline.kept, after, &baseline.others);
        check_list(self.desk.turn()?, &names, baseline, after).context("the list after the finish is wrong")
    }

    /// Copies the drafts of the undone files back, as a person does who wants the changes again.
    fn restore_drafts(&mut self) -> Result<()> {
        for (name, file) in std::mem::take(&mut self.undone) {
            let path = self.stage.top.join(super::tree::path(&name));
            let is_free = path.symlink_metadata().map_or(true, |found| found.is_file());
            let has_directory = path.parent().is_some_and(std::path::Path::is_dir);
            if let Some(draft) = file.draft.filter(|_| is_free && has_directory) {
                std::fs::copy(draft, &path)?;
                let disk = self.disk()?;
                ensure!(
                    matches!(disk.entries.get(&name), Some(Entry::File { .. })),
                    "{} is not back",
                    path.display()
                );
            }
        }
        Ok(())
    }

    fn repositories(&self) -> Result<Repositories> {
        self.stage.repositories().iter().map(|git| repository(git)).collect()
    }

    /// Checks that no file of the git directories has changed.
    fn check_repositories(&self, before: &Repositories) -> Result<()> {
        for (before, now) in before.iter().zip(self.repositories()?) {
            for path in before.keys().chain(now.keys()) {
                ensure!(before.get(path) == now.get(path), "the repository changes: {}", path.display());
            }
        }
        Ok(())
    }
}
