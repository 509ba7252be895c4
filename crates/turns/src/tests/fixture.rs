//! A project with a repository, and its store, for tests.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use alongside_companion::turns::source::{
    Feedback, FoundFile, NewComment, NewRound, TurnLook, TurnSource as _, TurnTexts, Undo, UndoTo,
};
use alongside_contract::turns::Moment;
use alongside_desk::{FileChange, LineRange, Side, UndoneFile};
use alongside_platform::paths::Canonical as _;

use crate::snapshots::tree_access::TreeAccess;
use crate::store::tree_store::TreeStore;
use crate::working_tree::WorkingTree;
use crate::{
    Claim, Claimed, Delivery, Error, Reader, Recorded, TakeBack, TurnDirs, TurnEvent, TurnStore, claim,
    record,
};

/// The longest message that the agent of the tests reads, in UTF-16 units.
pub(super) const MOST: usize = 9_000;

/// A project in a temporary directory, with its store beside it.
pub(super) struct Project {
    directory: tempfile::TempDir,
    pub(super) top: PathBuf,
    pub(super) dirs: TurnDirs,
    pub(super) store: TurnStore,
}

/// Whether the machine has git; otherwise the running test is skipped.
pub(super) fn has_git() -> bool {
    let has = crate::git::Git::new(PathBuf::new(), Path::new("/nowhere"), Instant::now()).is_ok();
    if !has {
        alongside_testing::skip("there is no git");
    }
    has
}

impl Project {
    /// Creates a repository with one commit of `a`, `b/c` and `run`; `None` without git.
    pub(super) fn new() -> Option<Self> {
        let project = Self::with_init(&["init", "-q"])?;
        project.write("a", "one\ntwo\nthree\n");
        project.write("b/c", "c\n");
        project.write("run", "#!/bin/sh\n");
        project.chmod("run", 0o755);
        project.commit();
        Some(project)
    }

    /// Creates a repository with this command of git.
    pub(super) fn with_init(init: &[&str]) -> Option<Self> {
        let project = Self::plain()?;
        project.git(init);
        Some(project)
    }

    /// Creates a directory without a repository.
    pub(super) fn plain() -> Option<Self> {
        if !has_git() {
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().canonical().unwrap().join("project");
        fs::create_dir(&top).unwrap();
        fs::create_dir(directory.path().join("home")).unwrap();
        let dirs = TurnDirs::below(directory.path());
        Some(Self { store: TurnStore::new(dirs.clone()), directory, top, dirs })
    }

    /// Returns the path of a directory beside the project.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.directory.path().canonical().unwrap().join(name)
    }

    /// Returns the same store for another working tree.
    pub(super) fn at(&self, top: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (dirs, store) = (self.dirs.clone(), self.store.clone());
        Self { directory, top: top.to_owned(), dirs, store }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path(name)).ok()
    }

    pub(super) fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn pipe(&self, name: &str) {
        assert!(Command::new("mkfifo").arg(self.path(name)).status().unwrap().success());
    }

    /// Runs git with the person's usual environment.
    pub(super) fn git(&self, args: &[&str]) -> String {
        git_in(&self.top, args)
    }

    pub(super) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    }

    pub(super) fn event(&self, moment: Moment, session: &str) -> Result<Recorded, Error> {
        self.event_of(moment, session, false)
    }

    /// Records an event. `is_woken`: a hook waits at the end of the turn.
    pub(super) fn event_of(&self, moment: Moment, session: &str, is_woken: bool) -> Result<Recorded, Error> {
        let (agent, session, turn) = ("Codex".to_owned(), session.to_owned(), String::new());
        let event = TurnEvent { moment, agent, session, turn, is_attended: true, is_woken };
        record(&self.dirs, &event, &self.top, Instant::now() + Duration::from_secs(60))
    }

    pub(super) fn prompt(&self) {
        assert_eq!(self.event(Moment::Prompt, "s"), Ok(Recorded::Kept));
    }

    pub(super) fn end(&self) {
        assert_eq!(self.event(Moment::End, "s"), Ok(Recorded::Kept));
    }

    pub(super) fn look(&self) -> TurnLook {
        self.store.look(&self.top, None).unwrap()
    }

    pub(super) fn since(&self, revision: &str) -> TurnLook {
        self.store.look(&self.top, Some(revision)).unwrap()
    }

    pub(super) fn texts(&self, look: &TurnLook, name: &str) -> TurnTexts {
        self.store.texts(look, file(look, name)).unwrap()
    }

    /// Undoes whole files.
    pub(super) fn undo(&self, look: &TurnLook, names: &[&str]) -> Vec<UndoneFile> {
        let undo = |name: &&str| Undo { file: file(look, name).clone(), to: UndoTo::Baseline };
        self.store.undo(look, &names.iter().map(undo).collect::<Vec<_>>())
    }

    /// Takes an undo back.
    pub(super) fn take_back(&self, undone: &UndoneFile) -> Result<(), Error> {
        let draft = undone.draft.as_deref().unwrap();
        TakeBack::new(&self.dirs).write(&self.path(&undone.path), Path::new(draft))
    }

    /// Returns the store on disk.
    pub(super) fn tree_store(&self) -> TreeStore {
        TreeStore::of(self.dirs.state(), &self.top)
    }

    pub(super) fn access(&self) -> TreeAccess {
        let tree = WorkingTree::around(&self.top, &self.dirs.homes()).unwrap();
        TreeAccess::open(&self.dirs, tree, Instant::now() + Duration::from_secs(60)).unwrap()
    }

    /// Adds a comment on these lines of a file that differs, or on the whole file.
    pub(super) fn comment(&self, look: &TurnLook, name: &str, lines: Option<(usize, usize)>, text: &str) {
        self.comment_on_side(look, name, lines, Side::New, text);
    }

    pub(super) fn comment_on_side(
        &self,
        look: &TurnLook,
        name: &str,
        lines: Option<(usize, usize)>,
        side: Side,
        text: &str,
    ) {
        let texts = self.texts(look, name);
        let all = String::from_utf8(if side.is_new() { texts.now } else { texts.before }.unwrap()).unwrap();
        let lines = lines.map(|(first, last)| LineRange { first, last });
        let quoted = lines
            .map(|lines| all.split_inclusive('\n').skip(lines.first - 1).take(lines.last + 1 - lines.first));
        let code = quoted.into_iter().flatten().collect();
        let (file, text) = (Some(file(look, name).clone()), text.into());
        let comment = NewComment { file, lines, side, code, text, ..NewComment::default() };
        self.store.add_comment(look, &comment).unwrap();
    }

    /// Adds a comment on the whole turn.
    pub(super) fn comment_on_all(&self, look: &TurnLook, text: &str) {
        let comment = NewComment { text: text.into(), ..NewComment::default() };
        self.store.add_comment(look, &comment).unwrap();
    }

    /// Sends a round that is not empty.
    pub(super) fn send(&self, look: &TurnLook) {
        assert!(self.store.send(look, &NewRound::default()).unwrap().is_some());
    }

    pub(super) fn feedback(&self, look: &TurnLook) -> Feedback {
        self.store.feedback(look).unwrap()
    }

    /// Claims the message that a session gets with a prompt.
    pub(super) fn claim(&self, session: &str) -> Option<Claim> {
        claimed(self.claim_by(session, Delivery::Prompt))
    }

    pub(super) fn claim_by(&self, session: &str, delivery: Delivery) -> Result<Claimed, Error> {
        claim(&self.dirs, &self.top, &reader(session), delivery, MOST)
    }

    /// Returns all files of the project but `.git`: by path, the kind with its mode, and the content.
    pub(super) fn tree(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut all = everything(&self.top);
        all.retain(|path, _| !path.starts_with(".git"));
        all
    }
}

/// Returns a session of the agent whose turns the tests record.
pub(super) fn reader(session: &str) -> Reader {
    Reader { agent: "Codex".into(), session: session.into(), is_attended: true }
}

pub(super) fn claimed(claimed: Result<Claimed, Error>) -> Option<Claim> {
    match claimed.unwrap() {
        Claimed::Message(claim) => Some(*claim),
        Claimed::Nothing | Claimed::Busy => None,
    }
}

/// Runs git in a directory.
pub(super) fn git_in(directory: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    let identity =
        ["user.name=a", "user.email=a@example.com", "protocol.file.allow=always", "init.defaultBranch=main"];
    for setting in identity {
        command.args(["-c", setting]);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.args(args).current_dir(directory).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {args:?}: {error}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Returns the row of a file.
pub(super) fn file<'a>(look: &'a TurnLook, name: &str) -> &'a FoundFile {
    let found = look.files.iter().find(|file| file.path == Path::new(name));
    found.unwrap_or_else(|| panic!("{name} is not among {:?}", rows(look)))
}

/// Returns the rows as text: the kind of change, and the path.
pub(super) fn rows(look: &TurnLook) -> Vec<String> {
    let row = |file: &FoundFile| {
        let change = match file.told.change {
            FileChange::Added => "A",
            FileChange::Deleted => "D",
            FileChange::Modified => "M",
            FileChange::Renamed => "R",
            FileChange::Mode => "X",
            FileChange::Kind => "T",
            FileChange::Unknown => "?",
        };
        let without = if file.told.without_text.is_some() { "-" } else { "" };
        format!("{change}{without} {}", file.told.path)
    };
    look.files.iter().map(row).collect()
}

/// Lists every file below a directory: its mode, and its content or the target of its link.
pub(super) fn everything(top: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let (mut all, mut waiting) = (BTreeMap::new(), vec![top.to_owned()]);
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let (path, found) = (entry.path(), entry.metadata().unwrap());
            let content = match () {
                () if found.is_symlink() => {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                }
                () if found.is_file() => fs::read(&path).unwrap(),
                () => Vec::new(),
            };
            if found.is_dir() {
                waiting.push(path.clone());
            }
            all.insert(path.strip_prefix(top).unwrap().to_owned(), (found.mode(), content));
        }
    }
    all
}
