//! What checks work with: sessions, scratch files, somebody at the editor, and what was heard so far.
//! Everything that is taken is given back, whatever comes of the check.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alongside_contract::discovery::split_roots;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::clock;
use crate::driver::{Action, Driver, Refusal, Reply};
use crate::hangs::Hangs;
use crate::opened::Opened;
use crate::peer::{Answer, NoAnswer, Peer};
use crate::taken::Taken;
use crate::tally::Tally;
use crate::wire::Request;
use crate::{Companion, Pace, Target};

/// Why a check did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The rule is broken.
    Fail(String),
    /// It cannot be seen here.
    Unseen(String),
    /// What it needs is not there, which another check judges.
    Skip(String),
}

/// What comes of a check, or of a part of it.
pub(crate) type Checked<T = ()> = Result<T, Stop>;

/// The rule is broken.
pub(crate) fn fail<T>(why: impl Into<String>) -> Checked<T> {
    Err(Stop::Fail(why.into()))
}

/// It cannot be seen here.
pub(crate) fn unseen<T>(why: impl Into<String>) -> Checked<T> {
    Err(Stop::Unseen(why.into()))
}

/// What it needs is not there.
pub(crate) fn skip<T>(why: impl Into<String>) -> Checked<T> {
    Err(Stop::Skip(why.into()))
}

/// Fails unless it is so.
pub(crate) fn ensure(so: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if so { Ok(()) } else { Err(Stop::Fail(otherwise())) }
}

/// What was sent and what came, for the report. Never holds the token.
#[derive(Clone)]
pub(crate) struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    token: Option<Arc<str>>,
}

/// How many characters of a line, and how many lines, are kept.
const LINE: usize = 240;
const LINES: usize = 40;
/// The length of a token that is kept out of the evidence, in bytes.
const SECRET: usize = 8;

impl Log {
    pub(crate) fn new(token: Option<&str>) -> Self {
        // What is shorter is no secret, and stands for itself in other words.
        Self { lines: Arc::default(), token: token.filter(|token| token.len() >= SECRET).map(Arc::from) }
    }

    pub(crate) fn note(&self, line: impl fmt::Display) {
        let line = line.to_string();
        // Looked for in what is kept only: a proposal may be large.
        let mut short: String = line.chars().take(LINE * 2).collect();
        if let Some(token) = &self.token {
            short = short.replace(&**token, "<token>");
        }
        let length = line.chars().count();
        if length > LINE {
            short = short.chars().take(LINE).collect();
            short.push_str(&format!("… ({length} characters)"));
        }
        self.lock().push(short);
    }

    /// For what is no evidence.
    pub(crate) fn apart(&self) -> Self {
        Self { lines: Arc::default(), token: self.token.clone() }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lock().clone()
    }

    /// The first lines, and the last.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut lines = std::mem::take(&mut *self.lock());
        if lines.len() > LINES {
            let tail = lines.split_off(lines.len() - LINES / 2);
            let left_out = lines.len() - LINES / 2;
            lines.truncate(LINES / 2);
            lines.push(format!("… ({left_out} lines left out)"));
            lines.extend(tail);
        }
        lines
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lines()).finish()
    }
}

/// What all checks of a run share.
pub(crate) struct Bench<'b> {
    pub(crate) target: &'b Target,
    pub(crate) pace: Pace,
    pub(crate) tally: Arc<Tally>,
    pub(crate) scenes: super::scenes::Scenes,
    pub(crate) last: OnceCell<Played<super::stop::Ended>>,
    driver: Option<&'b dyn Driver>,
    server: Mutex<Option<Value>>,
    scratch: tempfile::TempDir,
    taken: Taken,
    opened: Opened,
    cases: AtomicUsize,
    /// How the driver failed.
    pub(crate) failures: Mutex<Vec<String>>,
    /// How often `openDiff` was seen to hang.
    pub(crate) hangs: Hangs,
    /// Set once an agent was answered that connected while another was there.
    pub(crate) newest_is_served: AtomicBool,
}

/// What a scene brought to light, and what was said in it.
pub(crate) type Played<T> = (Checked<T>, Vec<String>);

impl<'b> Bench<'b> {
    pub(crate) fn new(
        target: &'b Target,
        pace: Pace,
        driver: Option<&'b dyn Driver>,
    ) -> std::io::Result<Self> {
        let mut scratch = tempfile::Builder::new();
        let scratch = scratch.prefix("alongside-check-");
        let scratch = scratch.tempdir_in(&target.here.tmp).or_else(|_| scratch.tempdir())?;
        Ok(Self {
            target,
            pace,
            driver,
            scratch,
            tally: Arc::default(),
            scenes: super::scenes::Scenes::default(),
            last: OnceCell::new(),
            server: Mutex::default(),
            taken: Taken::default(),
            opened: Opened::default(),
            cases: AtomicUsize::new(0),
            failures: Mutex::default(),
            hangs: Hangs::default(),
            newest_is_served: false.into(),
        })
    }

    /// Why a check with these needs cannot be made at all.
    pub(crate) fn lacks(&self, needs: &[&str]) -> Option<String> {
        (!needs.is_empty() && self.driver.is_none())
            .then(|| "it needs somebody at the editor: run it in a terminal, or with --drive".into())
    }

    /// Asks who is there, for the head of the report.
    pub(crate) async fn greet(&self) {
        let case = Case::new(self);
        if let Ok((_, result)) = case.introduce().await {
            *self.server.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
        case.ends().await;
    }

    /// Who is checked.
    pub(crate) fn companion(&self) -> Companion {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        let server = server.as_ref().and_then(|result| {
            let info = &result["serverInfo"];
            let version = info["version"].as_str().unwrap_or_default();
            Some(format!("{} {version}", info["name"].as_str()?).trim_end().to_owned())
        });
        let record = &self.target.record;
        let editor = record.ide_info.as_ref().map(|info| info.display_name.clone());
        Companion {
            address: format!("{}:{}", self.target.host, record.port),
            server,
            editor: editor.filter(|name| !name.is_empty()),
            file: self.target.file.clone(),
        }
    }

    /// The directory of files that the editor may open. It goes with the run.
    pub(crate) fn scratch(&self) -> PathBuf {
        // Agents and editors name files by their real paths.
        self.scratch.path().canonicalize().unwrap_or_else(|_| self.scratch.path().to_owned())
    }

    /// The directory that proposals are about. It lies in the project, and does not exist.
    pub(crate) fn nowhere(&self) -> PathBuf {
        let name = self.scratch.path().file_name().unwrap_or_default().to_owned();
        let mut roots = split_roots(&self.target.record.workspace_path).map(Path::new);
        match roots.find(|root| root.is_absolute() && root.is_dir()) {
            Some(root) => root.join(name),
            None => self.scratch().join("proposals"),
        }
    }

    /// How long an answer is waited for that says only that something was given back.
    fn patience(&self) -> Duration {
        self.pace.answer.min(Duration::from_secs(2))
    }

    /// Closes what is open, and removes what a companion wrote where nothing was.
    pub(crate) async fn tidy_up(&self) {
        self.taken.give_all_back(self.patience()).await;
        if let Some(driver) = self.driver.filter(|driver| driver.tidies_up()) {
            self.opened.close(driver).await;
        }
        // The name is nobody else's: what is there was written on accepting.
        let _ = std::fs::remove_dir_all(self.nowhere());
    }
}

/// The first line of how a driver failed, without what differs from action to action.
fn brief(why: &str, arguments: &[String]) -> String {
    let line = why.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let names = arguments.iter().filter(|argument| argument.len() > 3);
    names.fold(line.to_owned(), |line, name| line.replace(name.as_str(), "…"))
}

/// One check at work.
pub(crate) struct Case<'b> {
    pub(crate) bench: &'b Bench<'b>,
    pub(crate) log: Log,
    number: usize,
    /// The session of the agent that joined last.
    pub(crate) newest: Mutex<Option<String>>,
}

impl<'b> Case<'b> {
    pub(crate) fn new(bench: &'b Bench<'_>) -> Case<'b> {
        // The bench outlives its cases, whatever it borrows itself.
        let log = Log::new(bench.target.record.auth_token.as_deref());
        let number = bench.cases.fetch_add(1, Ordering::Relaxed);
        Case { bench, log, number, newest: Mutex::default() }
    }

    pub(crate) fn pace(&self) -> Pace {
        self.bench.pace
    }

    /// Remembers what has to be given back.
    pub(crate) fn took(&self, peer: &Peer, diff: Option<&str>) {
        self.bench.taken.add(self.number, peer, diff);
    }

    /// Sends a request that may begin a session, which has to be given back then.
    pub(crate) async fn begin(&self, peer: &Peer, request: Request) -> Result<Answer, NoAnswer> {
        self.bench.taken.begin(self.number, peer, request).await
    }

    /// Closes the diffs and ends the sessions of this check.
    pub(crate) async fn ends(&self) {
        self.bench.taken.give_back(self.number, self.bench.patience()).await;
    }

    /// Has something done in the editor.
    pub(crate) async fn act(&self, action: Action) -> Checked<Reply> {
        let arguments = action.arguments();
        self.log.note(format!("→ editor: {} {}", action.name(), arguments.join(" ")));
        let Some(driver) = self.bench.driver else {
            return unseen("it needs somebody at the editor: run it in a terminal, or with --drive");
        };
        self.bench.opened.begins(&action);
        let outcome = driver.act(&action).await;
        match outcome {
            Ok(reply) => {
                self.bench.opened.is_done(&action);
                if matches!(action, Action::IsShown { .. }) {
                    self.log.note(if reply == Reply::Done { "← editor: yes" } else { "← editor: no" });
                }
                Ok(reply)
            }
            Err(Refusal::Cannot(why)) => {
                unseen(format!("the editor could not be made to {}: {why}", action.name()))
            }
            Err(Refusal::Failed(why)) => {
                self.log.note(format!("← driver: {}", why.trim_end().replace('\n', "⏎")));
                let brief = format!("the driver failed to {}: {}", action.name(), brief(&why, &arguments));
                let mut failures = self.bench.failures.lock().unwrap_or_else(PoisonError::into_inner);
                failures.push(brief.clone());
                unseen(brief)
            }
            Err(Refusal::Skip) => skip("you skipped it"),
        }
    }

    /// Goes on only if what was done in the editor was done for certain.
    pub(crate) fn certain(&self, why: &str) -> Checked {
        match self.nothing_came(why) {
            Err(Stop::Fail(_)) => Ok(()),
            otherwise => otherwise,
        }
    }

    /// Nothing at all came of what was done in the editor: the rule is broken, if it was done for certain.
    pub(crate) fn nothing_came<T>(&self, why: impl fmt::Display) -> Checked<T> {
        match self.bench.driver {
            Some(driver) if !driver.is_certain() => unseen(format!(
                "nothing was seen of it; check it again if you did it before you answered ({why})"
            )),
            _ => fail(why.to_string()),
        }
    }

    /// A path for a proposal, below a directory that does not exist.
    pub(crate) fn proposal(&self, name: &str) -> String {
        self.bench.nowhere().join(name).to_string_lossy().into_owned()
    }

    /// A file that the editor may open, written now.
    pub(crate) fn file(&self, name: &str, text: &str) -> Checked<PathBuf> {
        let path = self.bench.scratch().join(name);
        match std::fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => skip(format!("cannot write {}: {error}", path.display())),
        }
    }

    /// Plays a scene once for all checks that judge it; each has what was said in it among its evidence.
    pub(crate) async fn scene<T: Clone>(
        &self,
        scene: &OnceCell<Played<T>>,
        play: impl Future<Output = Checked<T>>,
    ) -> Checked<T> {
        let mut is_ours = false;
        let playing = async || {
            is_ours = true;
            (play.await, self.log.lines())
        };
        let (outcome, lines) = scene.get_or_init(playing).await;
        if !is_ours {
            lines.iter().for_each(|line| self.log.note(line));
        }
        outcome.clone()
    }

    /// Waits in order to see that nothing comes.
    pub(crate) async fn quiet(&self) {
        clock::pass(self.pace().quiet).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_out_of_the_evidence_unless_it_is_too_short_to_be_one() {
        let noted = |token: &str| {
            let log = Log::new(Some(token));
            log.note("Bearer 0123-4567 for evil.example");
            log.take().concat()
        };
        assert_eq!(noted("0123-4567"), "Bearer <token> for evil.example");
        assert_eq!(noted("x"), "Bearer 0123-4567 for evil.example");
    }

    #[test]
    fn failures_of_a_driver_that_differ_in_the_path_only_are_told_as_one() {
        let tell = |path: &str| {
            let why = format!("it failed with 2: no proposal for {path}\n\t[C]: in function");
            brief(&why, &[path.to_owned()])
        };
        assert_eq!(tell("/a/one.txt"), "it failed with 2: no proposal for …");
        assert_eq!(tell("/a/one.txt"), tell("/a/other.txt"));
    }
}
