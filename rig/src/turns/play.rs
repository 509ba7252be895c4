//! A life is played, step by step. The first thing that is wrong ends it.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::PathBuf;

use alongside_contract::turns::Moment;
use alongside_desk::UndoneFile;
use anyhow::{Context as _, Error, Result, ensure};

use super::change::Change;
use super::desk::Desk;
use super::judge::{Baseline, Finish, check_list};
use super::life::{Deed, Life, Step};
use super::marking::{Decided, Names, decisions, mark};
use super::stage::Stage;
use super::tree::{Class, Entry, Name, RepositoryFile, Tree, repository};
use crate::fewest::fewest;

/// The counts of a life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Played {
    /// Reviews that were finished.
    pub reviews: u64,
    /// Files that were undone, as a whole or in part.
    pub undone: u64,
    /// Files whose undo was refused.
    pub refused: u64,
}

/// Plays a life.
///
/// # Errors
/// The first thing that is wrong, with the step in which it was seen.
pub fn play(life: &Life) -> Result<Played> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut player = Player::new(life).await?;
        for (at, step) in life.steps.iter().enumerate() {
            player
                .step(*step)
                .await
                .with_context(|| format!("step {} of {}: {step:?}", at + 1, life.steps.len()))?;
        }
        Ok(player.played)
    })
}

/// The shortest life that goes wrong in the same way, as its steps say.
pub fn minimise(life: &Life, error: &Error) -> Life {
    let kind = kind(error);
    let fails = |life: &Life| play(life).err().is_some_and(|error| self::kind(&error) == kind);
    let with = |steps: &[Step]| Life { steps: steps.to_vec(), ..life.clone() };
    let Ok(steps) = fewest(&life.steps, |steps| Ok::<_, Infallible>(fails(&with(steps))));
    with(&steps)
}

/// The first words of an error, without names and texts.
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
    /// The state at the first prompt, or after the last finished review.
    baseline: Option<Baseline>,
    review: Option<Open>,
    /// The files of the last finish, with what they held.
    taken: Vec<(Name, UndoneFile)>,
    played: Played,
}

/// The files of each repository.
type Repositories = Vec<BTreeMap<PathBuf, RepositoryFile>>;

/// A review that was begun and is not finished.
struct Open {
    names: Names,
    seen: Tree,
    outdated: BTreeSet<Name>,
}

impl Player {
    async fn new(life: &Life) -> Result<Self> {
        let stage = Stage::set(life.repository).await?;
        let desk = stage.desk();
        let played = Played::default();
        Ok(Self { stage, desk, baseline: None, review: None, taken: Vec::new(), played })
    }

    async fn step(&mut self, Step(deed): Step) -> Result<()> {
        match deed {
            Deed::Change(change) => self.change(change),
            Deed::Prompt { session } => self.note(Moment::Prompt, session),
            Deed::End { session } => self.note(Moment::End, session),
            Deed::Review { choice } if self.baseline.is_some() => self.review(choice).await,
            Deed::LookAgain if self.review.is_some() => self.look_again().await,
            Deed::Finish { ask } => match self.review.take() {
                Some(review) => self.finish(review, ask).await,
                None => Ok(()),
            },
            Deed::TakeBack => self.take_back(),
            Deed::Review { .. } | Deed::LookAgain => Ok(()),
        }
    }

    fn disk(&self) -> Result<Tree> {
        Tree::read(&self.stage.top)
    }

    fn change(&self, change: Change) -> Result<()> {
        change.carry_out(&self.stage.top)
    }

    fn note(&mut self, moment: Moment, session: u8) -> Result<()> {
        let before = self.disk()?;
        let repositories = self.repositories()?;
        self.stage.note(moment, session)?;
        ensure!(self.disk()? == before, "a snapshot changes the project");
        self.check_repositories(&repositories)?;
        if self.baseline.is_none() && moment == Moment::Prompt {
            self.baseline = Some(Baseline::of(&before));
        }
        Ok(())
    }

    /// A look, after which the list has to be right.
    async fn look(&mut self) -> Result<(Names, Tree)> {
        let seen = self.disk()?;
        let repositories = self.repositories()?;
        self.desk.look().await?;
        ensure!(self.disk()? == seen, "a look changes the project");
        self.check_repositories(&repositories)?;
        let baseline = self.baseline.as_ref().context("there is one")?;
        let names = Names::of(&baseline.kept, &seen, &baseline.others);
        check_list(self.desk.turn()?, &names, baseline, &seen)?;
        Ok((names, seen))
    }

    /// The texts of open files are those of the last look.
    async fn settle(&mut self) -> Result<()> {
        for path in self.desk.open_files() {
            // One whose texts are gone is not open any more.
            drop(self.desk.open(&path).await?);
        }
        Ok(())
    }

    async fn review(&mut self, choice: u64) -> Result<()> {
        let (names, seen) = self.look().await?;
        self.settle().await?;
        let baseline = self.baseline.as_ref().context("there is one")?;
        mark(&mut self.desk, choice, &names, &baseline.kept, &seen).await?;
        self.review = Some(Open { names, seen, outdated: BTreeSet::new() });
        Ok(())
    }

    /// Marks stay where nothing has changed.
    async fn look_again(&mut self) -> Result<()> {
        let Some(before) = self.review.take() else { return Ok(()) };
        let marked = decisions(&self.desk, &before.names)?;
        let (names, seen) = self.look().await?;
        self.settle().await?;
        let changed = |name: &Name| before.seen.entries.get(name) != seen.entries.get(name);
        let all = before.seen.entries.keys().chain(seen.entries.keys());
        let mut outdated = before.outdated;
        outdated.extend(all.filter(|name| changed(name)).cloned());
        let still = decisions(&self.desk, &names)?;
        for old in &marked {
            let is_same = |one: &Decided| one.path == old.path && one.decision == old.decision;
            // Another file may have become the one that this was renamed from.
            let paths = [Some(&old.path), old.from.as_ref()].into_iter().flatten();
            let is_untouched = outdated.is_empty() || paths.clone().all(|name| !outdated.contains(name));
            let is_listed_so = self.desk.turn()?.files.iter().any(|file| {
                file.path == old.file.path && file.from == old.file.from && file.change == old.file.change
            });
            // The content of others has no name.
            let is_untouched = is_untouched && Class::of(&old.path) == Class::Kept;
            let is_lost = is_untouched && is_listed_so && !still.iter().any(is_same);
            ensure!(!is_lost, "a mark is lost: {:?}", old.file);
        }
        self.review = Some(Open { names, seen, outdated });
        Ok(())
    }

    async fn finish(&mut self, review: Open, ask: bool) -> Result<()> {
        let before = self.disk()?;
        let repositories = self.repositories()?;
        let (decided, finished) = loop {
            self.desk.hear()?;
            let decided = decisions(&self.desk, &review.names)?;
            if let Some(finished) = self.desk.finish(ask).await? {
                break (decided, finished);
            }
        };
        let after = self.disk()?;
        self.check_repositories(&repositories)?;
        let baseline = self.baseline.as_ref().context("there is one")?;
        let Open { seen, outdated, .. } = &review;
        let (before, after) = (&before, &after);
        let finish =
            Finish { baseline, seen, before, after, decided: &decided, finished: &finished, outdated };
        let next = finish.judge(ask)?;
        self.played.reviews += 1;
        self.played.refused += finished.files.iter().filter(|file| file.refused.is_some()).count() as u64;
        self.taken = decided
            .into_iter()
            .map(|decided| decided.path)
            .zip(finished.files)
            .filter(|(_, file)| file.refused.is_none())
            .collect();
        self.played.undone += self.taken.len() as u64;
        if let Some(next) = next {
            self.baseline = Some(next);
        }
        // The list that follows a finish is right as well: a desk has it before the answer.
        let baseline = self.baseline.as_ref().context("there is one")?;
        let names = Names::of(&baseline.kept, after, &baseline.others);
        check_list(self.desk.turn()?, &names, baseline, after).context("after the finish")
    }

    /// An undo of the undo: the person copies the text of before back.
    fn take_back(&mut self) -> Result<()> {
        for (name, file) in std::mem::take(&mut self.taken) {
            let path = self.stage.top.join(super::tree::path(&name));
            let is_free = path.symlink_metadata().map_or(true, |found| found.is_file());
            let has_place = path.parent().is_some_and(std::path::Path::is_dir);
            if let Some(draft) = file.draft.filter(|_| is_free && has_place) {
                std::fs::copy(draft, &path)?;
                let disk = self.disk()?;
                ensure!(matches!(disk.entries.get(&name), Some(Entry::File { .. })), "it is back");
            }
        }
        Ok(())
    }

    fn repositories(&self) -> Result<Repositories> {
        self.stage.repositories().iter().map(|git| repository(git)).collect()
    }

    /// Nothing of the repositories has changed.
    fn check_repositories(&self, before: &Repositories) -> Result<()> {
        for (before, now) in before.iter().zip(self.repositories()?) {
            for path in before.keys().chain(now.keys()) {
                ensure!(before.get(path) == now.get(path), "the repository changes: {}", path.display());
            }
        }
        Ok(())
    }
}
