//! The stage of a life: a project with its repository, the store of turns, and a companion.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use alongside_companion::{AppDirs, Companion, DeskProfile};
use alongside_contract::turns::Moment;
use alongside_turns::{Recorded, TurnDirs, TurnEvent, TurnStore, record};
use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use super::change::git;
use super::desk::Desk;
use super::life::Repository;

/// The longest time for a snapshot. It is long enough for a busy machine: no life tests time limits.
const PATIENCE: Duration = Duration::from_secs(60);

/// The content of `.gitignore`, and of `.gitattributes` where git converts files.
const IGNORE: &str = "*.ign\nbuild/\n";
const ATTRIBUTES: &str =
    "* text=auto\n*.txt eol=crlf\na ident\nA filter=evil\nd/* working-tree-encoding=UTF-16\n";

pub(super) struct Stage {
    directory: TempDir,
    pub(super) top: PathBuf,
    places: TurnDirs,
    pub(super) companion: Companion,
}

impl Stage {
    /// Creates an empty project with a repository of this kind, and starts a companion.
    pub(super) async fn new(kind: Repository) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("al-").tempdir_in(fast_directory())?;
        let root = directory.path().canonicalize()?;
        fs::create_dir(root.join("home"))?;
        let top = create_project(&root, kind)?;
        let places = TurnDirs::below(&root);
        let store = TurnStore::new(places.clone());
        let builder = Companion::builder().editor("turns", "Turns").root(&top).aliases(false);
        let companion = builder.app_dirs(AppDirs::below(&root)).turns(Arc::new(store)).start().await?;
        Ok(Self { directory, top, places, companion })
    }

    pub(super) fn desk(&self) -> Desk {
        let profile = DeskProfile { shows_turns: true, ..DeskProfile::default() };
        Desk::new(self.companion.join_as(profile).1)
    }

    /// Takes a snapshot as an agent's hook does, and notifies the companion.
    pub(super) fn take_snapshot(&self, moment: Moment, session: u8) -> Result<()> {
        let (agent, turn) = (["Codex", "Claude Code"][usize::from(session)].to_owned(), String::new());
        let event = TurnEvent {
            moment,
            agent,
            session: session.to_string(),
            turn,
            is_attended: true,
            is_woken: false,
        };
        let kept = record(&self.places, &event, &self.top, Instant::now() + PATIENCE);
        ensure!(kept == Ok(Recorded::Kept), "the snapshot of a {moment:?}: {kept:?}");
        self.companion.snapshot_taken(self.top.clone());
        Ok(())
    }

    /// Returns the git directories of the project.
    pub(super) fn repositories(&self) -> Vec<PathBuf> {
        let main = self.directory.path().join("main/.git");
        [self.top.join(".git"), main].into_iter().filter(|git| git.is_dir()).collect()
    }
}

/// Returns a directory in memory if possible, because the files need not be written to disk.
fn fast_directory() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let is_writable = tempfile::tempdir_in(memory).is_ok();
    if is_writable { memory.to_owned() } else { std::env::temp_dir() }
}

/// Creates the project. Returns its top directory.
fn create_project(root: &Path, kind: Repository) -> Result<PathBuf> {
    let top = root.join("project");
    let first = if kind == Repository::Worktree { root.join("main") } else { top.clone() };
    fs::create_dir(&first)?;
    let hash = if kind == Repository::Sha256 { "sha256" } else { "sha1" };
    run(&first, &["init", "-q", "--template=", &format!("--object-format={hash}")])?;
    if kind == Repository::Unborn {
        // A reset without a commit deletes every file in the index, so `.gitignore` must not be one.
        fs::create_dir_all(first.join(".git/info"))?;
        fs::write(first.join(".git/info/exclude"), IGNORE)?;
    } else {
        fs::write(first.join(".gitignore"), IGNORE)?;
    }
    if kind == Repository::Converting {
        fs::write(first.join(".gitattributes"), ATTRIBUTES)?;
        run(&first, &["config", "core.autocrlf", "true"])?;
        run(&first, &["config", "core.safecrlf", "false"])?;
        run(
            &first,
            &["config", "filter.evil.clean", &format!("touch '{}'; cat", filter_trace(root).display())],
        )?;
    }
    if kind != Repository::Unborn {
        run(&first, &["add", "-A"])?;
        run(&first, &["commit", "-q", "-m", "The beginning"])?;
    }
    if kind == Repository::Worktree {
        let top = top.to_str().context("the path of the working tree is not UTF-8")?;
        run(&first, &["worktree", "add", "-q", "-b", "second", top])?;
    }
    Ok(top)
}

/// The file that the repository's filter creates if it runs.
fn filter_trace(root: &Path) -> PathBuf {
    root.join("the filter ran")
}

fn run(top: &Path, arguments: &[&str]) -> Result<()> {
    ensure!(git(top, arguments)?, "git {arguments:?}");
    Ok(())
}
