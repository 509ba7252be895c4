//! Test helpers: a new user profile with a project, the program, a desk for programs, and an agent.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use alongside_agent::find::{self, Surroundings};
use alongside_agent::{Endpoint, Identity, PendingDiff, Session};
use alongside_contract::agent::FamilyAgent;
use alongside_platform::paths::Canonical as _;
use serde_json::Value;

/// The time limit of every wait. Only a failing test waits this long. The limit is high because programs
/// start slowly under Wine.
const DEADLINE: Duration = Duration::from_secs(60);

/// The path of alongside.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_alongside");

/// The directories of one test.
pub(crate) struct Home {
    base: PathBuf,
    _directory: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonical().unwrap();
        for name in ["home", "tmp", "project"] {
            std::fs::create_dir(base.join(name)).unwrap();
        }
        Self { base, _directory: directory }
    }

    /// Returns a path below the base directory.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.base.join(below)
    }

    /// Returns the directory of the project.
    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// Writes a file of the project, and returns its path as agents spell it.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.project().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Returns the directory in which hosts publish themselves.
    pub(crate) fn runtime_dir(&self) -> PathBuf {
        self.path("run")
    }

    /// Returns a command that runs in the project with the profile of this home.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        // Variables with directories of the system are kept.
        let is_removed = |name: &str| {
            name.starts_with("XDG_") || name.starts_with("ALONGSIDE_") || name.starts_with("GEMINI_")
        };
        for (name, _) in std::env::vars().filter(|(name, _)| is_removed(name)) {
            command.env_remove(name);
        }
        for name in ["HOME", "USERPROFILE"] {
            command.env(name, self.path("home"));
        }
        for name in ["TMPDIR", "TEMP", "TMP"] {
            command.env(name, self.path("tmp"));
        }
        for (name, below) in [("APPDATA", "AppData/Roaming"), ("LOCALAPPDATA", "AppData/Local")] {
            command.env(name, self.path("home").join(below));
        }
        command.env("ALONGSIDE_RUNTIME_DIR", self.runtime_dir()).current_dir(self.project());
        command
    }

    /// Returns a command that runs alongside in the project.
    pub(crate) fn alongside(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(PROGRAM);
        command.args(arguments);
        command
    }

    /// Runs alongside to its end, with an empty standard input.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.alongside(arguments).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs alongside to its end, asserts that it succeeds, and returns its standard output.
    pub(crate) fn succeeds(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        let said = [ran.stdout, ran.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert!(ran.status.success(), "{arguments:?}: {}{}", said[0], said[1]);
        said.into_iter().next().unwrap_or_default()
    }

    /// Starts a desk for programs.
    pub(crate) fn desk(&self) -> Desk {
        Desk::start(self.alongside(&["review", "--json"]))
    }

    /// Returns the process IDs of all hosts.
    pub(crate) fn hosts(&self) -> Vec<u32> {
        let entries = std::fs::read_dir(self.runtime_dir()).into_iter().flatten().flatten();
        let entries =
            entries.map(|entry| entry.path()).filter(|path| path.extension() == Some("json".as_ref()));
        let entries =
            entries.filter_map(|path| serde_json::from_slice::<Value>(&std::fs::read(path).ok()?).ok());
        entries.filter_map(|entry| u32::try_from(entry["pid"].as_u64()?).ok()).collect()
    }

    /// Kills all hosts.
    pub(crate) fn kill_hosts(&self) {
        for pid in self.hosts() {
            kill(pid);
        }
    }

    /// Returns the environment of an agent in the project, as its discovery reads it.
    fn surroundings(&self) -> Surroundings {
        Surroundings {
            tmp: self.path("tmp"),
            home: self.path("home"),
            variables: HashMap::new(),
            cwd: self.project(),
            pid: std::process::id(),
        }
    }

    /// Waits until Gemini CLI finds a companion and connects it.
    pub(crate) async fn agent(&self) -> Session {
        let gemini = FamilyAgent::named("gemini").unwrap();
        let end = Instant::now() + DEADLINE;
        loop {
            for found in find::candidates(gemini, &self.surroundings()).found {
                let token = found.record.auth_token.as_deref();
                let identity = Identity::new("gemini-cli-mcp-client-test", "0.61.0");
                if let Ok(agent) = Session::connect(Endpoint::local(found.record.port), token, identity).await
                {
                    return agent;
                }
            }
            assert!(Instant::now() < end, "waited in vain for a companion that serves the project");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.kill_hosts();
    }
}

/// Kills a process.
fn kill(pid: u32) {
    let pid = pid.to_string();
    let (program, arguments) = match cfg!(windows) {
        true => ("taskkill", ["/F", "/PID", &pid]),
        false => ("kill", ["-s", "KILL", &pid]),
    };
    let _ = Command::new(program).args(arguments).output();
}

/// Waits for a future and returns its output.
///
/// # Panics
///
/// If the future takes longer than [`DEADLINE`]. The message names `what`.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Opens a diff with this text for the file.
pub(crate) async fn propose(agent: &Session, path: &str, text: &str) -> PendingDiff {
    soon("openDiff to be answered", agent.open_diff(path, text)).await.expect("the diff is opened")
}

/// A running `alongside review --json`.
pub(crate) struct Desk {
    child: Child,
    /// The messages of the desk so far.
    messages: Arc<Mutex<Vec<Value>>>,
    /// The standard error, complete once the desk has ended.
    errors: Arc<Mutex<String>>,
}

impl Desk {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (messages, errors) = (Arc::<Mutex<Vec<Value>>>::default(), Arc::<Mutex<String>>::default());
        let (out, lines) = (child.stdout.take().unwrap(), Arc::clone(&messages));
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                lines.lock().unwrap().push(serde_json::from_str(&line).unwrap());
            }
        });
        let (mut err, text) = (child.stderr.take().unwrap(), Arc::clone(&errors));
        std::thread::spawn(move || {
            let mut all = String::new();
            let _ = err.read_to_string(&mut all);
            text.lock().unwrap().push_str(&all);
        });
        Self { child, messages, errors }
    }

    /// Waits for the first message of this method that fits and returns its parameters.
    pub(crate) async fn hears(&self, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + DEADLINE;
        loop {
            let told = self.messages.lock().unwrap().clone();
            let mut heard = told.iter().filter(|message| message["method"] == method);
            if let Some(message) = heard.find(|message| fits(&message["params"])) {
                return message["params"].clone();
            }
            let so_far = format!("{told:?} {}", self.errors.lock().unwrap());
            assert!(Instant::now() < end, "waited in vain for {method}; there was {so_far}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits for the review of a file.
    pub(crate) async fn review(&self, file: &str) -> Value {
        self.hears("alongside/didOpenReview", |review| review["file"] == file).await
    }

    /// Sends a request to the desk.
    pub(crate) fn asks(&mut self, request: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{request}").unwrap();
    }

    /// Decides a review at the revision that `review` has.
    pub(crate) fn decides(&mut self, review: &Value, decision: &str) {
        self.asks(&serde_json::json!({
            "method": "alongside/decideReview",
            "params": {"id": review["id"], "revision": review["revision"], "decision": decision},
        }));
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the paths of all files below a directory, relative to it and with slashes.
pub(crate) fn files_below(directory: &Path) -> Vec<String> {
    let below = |path: PathBuf| path.strip_prefix(directory).unwrap().to_string_lossy().replace('\\', "/");
    alongside_testing::files_below(directory).into_iter().map(below).collect()
}
