//! Test helpers: a home for each test, a running `alongside review`, and an agent that discovers its
//! companion as real agents do.

mod machine;
mod process;
mod snapshot;

use std::collections::HashMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use alongside_agent::find::{self, Found, Surroundings};
use alongside_agent::{Endpoint, Identity, Outcome, PendingDiff, Session};
use alongside_contract::agent::FamilyAgent;
use alongside_contract::discovery::Record;
use alongside_platform::paths::Canonical as _;
use rustix::process::{Pid, Signal, kill_process};

pub(crate) use alongside_testing::{Lateness, files_below};
pub(crate) use machine::Machine;
pub(crate) use process::{CommandResult, Running, finish};

/// The time limit of every wait. Only a failing test waits this long.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// The environment variable that marks every process of a home, including processes without the variables of
/// its directories.
const HOME_VARIABLE: &str = "ALONGSIDE_TEST_HOME";

/// The directories of one test: home, temporary directory and a project.
pub(crate) struct Home {
    dir: tempfile::TempDir,
    pub(crate) project: PathBuf,
    /// The recorded commands with their output, for a snapshot.
    transcript: Mutex<String>,
    /// Texts with a number, each with the text that replaces it in snapshots.
    named: Mutex<Vec<(String, String)>>,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonical().unwrap();
        for name in ["home", "tmp", "run", "project"] {
            std::fs::create_dir(base.join(name)).unwrap();
        }
        set_mode(base.join("run"), 0o700);
        Self { project: base.join("project"), dir, transcript: Mutex::default(), named: Mutex::default() }
    }

    /// Returns a home with a file of the project, and the file's path as agents spell it.
    pub(crate) fn with_file(name: &str, text: &str) -> (Self, String) {
        let home = Self::new();
        let file = home.file(name, text);
        (home, file)
    }

    /// Returns a home with this text in the person's settings file.
    pub(crate) fn with_settings(text: &str) -> Self {
        let home = Self::new();
        home.settings(text);
        home
    }

    /// Returns a path below the base directory of this home.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().canonical().unwrap().join(below)
    }

    /// Creates a directory below the base directory and returns its path.
    pub(crate) fn directory(&self, below: &str) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes the person's settings file.
    pub(crate) fn settings(&self, text: &str) {
        write_file(&self.path("home/.config/alongside/config.toml"), text);
    }

    /// Returns the path of a file of the project as agents spell it.
    pub(crate) fn in_project(&self, name: &str) -> String {
        self.project.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file of the project and returns its path as agents spell it.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        write_file(&self.project.join(name), text);
        self.in_project(name)
    }

    /// Returns a command that runs in the project. The program gets only PATH of the real environment.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables()).current_dir(&self.project);
        command.env("XDG_RUNTIME_DIR", self.path("run")).env("ALONGSIDE_RUNTIME_DIR", self.runtime_dir());
        command
    }

    /// Returns the environment variables of every program, without those by which programs find hosts.
    fn variables(&self) -> [(&'static str, std::ffi::OsString); 4] {
        let path = |below| self.path(below).into_os_string();
        [
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", path("home")),
            ("TMPDIR", path("tmp")),
            (HOME_VARIABLE, path("")),
        ]
    }

    /// Returns the directory in which the hosts of this home publish themselves, instead of the real user's.
    pub(crate) fn runtime_dir(&self) -> PathBuf {
        self.path("run/alongside")
    }

    /// Returns a command that runs alongside in the project.
    pub(crate) fn alongside(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_alongside"));
        command.args(args);
        command
    }

    /// Runs alongside to its end, with an empty standard input.
    pub(crate) fn run(&self, args: &[&str]) -> CommandResult {
        finish(self.alongside(args))
    }

    /// Starts line mode with these arguments.
    pub(crate) fn review(&self, args: &[&str]) -> Running {
        self.start(self.alongside(&["review"]).args(args))
    }

    /// Starts line mode and waits until its companion serves the project.
    pub(crate) async fn serving(&self) -> Running {
        let mut desk = self.review(&[]);
        desk.shows("alongside serves").await;
        desk
    }

    /// Starts line mode with this editor for the person.
    pub(crate) fn review_with_editor(&self, editor: impl AsRef<std::ffi::OsStr>) -> Running {
        self.start(self.alongside(&["review"]).env("EDITOR", editor))
    }

    /// Starts a program whose standard streams are pipes to the test.
    pub(crate) fn start(&self, command: &mut Command) -> Running {
        Running::start(command)
    }

    /// Starts alongside in a new terminal, with Ctrl-C, Ctrl-D and echo.
    pub(crate) fn at_terminal(&self, args: &[&str]) -> Running {
        let mut command = self.command("setsid");
        command.args(["--ctty", env!("CARGO_BIN_EXE_alongside")]).args(args).env("TERM", "dumb");
        Running::at_terminal(&mut command)
    }

    /// Starts `alongside run -- true` in window 7 of kitty, in a terminal that can be drawn on. `kitten` is
    /// the text of the script that replaces the program of that name.
    pub(crate) fn run_in_kitty(&self, kitten: &str) -> Running {
        let programs = self.directory("programs");
        write_program(&programs.join("kitten"), kitten);
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = self.command("setsid");
        command.args(["--ctty", env!("CARGO_BIN_EXE_alongside"), "run", "--", "true"]);
        command.env("TERM", "xterm-kitty").env("KITTY_WINDOW_ID", "7");
        Running::at_terminal(command.env("PATH", format!("{}:{path}", programs.display())))
    }

    /// Returns this home with a directory of the project as the project.
    pub(crate) fn inside(mut self, below: &str) -> Self {
        self.project.push(below);
        self
    }

    /// Returns the process ID and the name of each running host.
    pub(crate) fn hosts(&self) -> Vec<(u32, String)> {
        let host = |entry: serde_json::Value| {
            let pid = u32::try_from(entry["pid"].as_u64()?).ok()?;
            Some((pid, entry["name"].as_str()?.to_owned()))
        };
        self.host_entries().filter_map(host).collect()
    }

    /// Returns the entries by which desks and hooks find hosts.
    pub(crate) fn host_entries(&self) -> impl Iterator<Item = serde_json::Value> {
        let entries = files_below(self.path("run")).into_iter();
        let entries = entries.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        entries.filter_map(|path| serde_json::from_slice(&std::fs::read(path).ok()?).ok())
    }

    /// Kills every host.
    pub(crate) fn kill_hosts(&self) {
        for (pid, _) in self.hosts() {
            if let Some(pid) = Pid::from_raw(pid.cast_signed()) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Returns the process ID of the only host.
    pub(crate) fn hosts_pid(&self) -> Option<u32> {
        self.hosts().first().map(|(pid, _)| *pid)
    }

    /// Returns the discovery record that agents find first.
    pub(crate) fn record(&self) -> Record {
        find::all_records(&self.surroundings()).swap_remove(0).1
    }

    /// Whether there is a discovery file for this process ID.
    pub(crate) fn is_found_as(&self, pid: u32) -> bool {
        let name = format!("gemini-ide-server-{pid}-");
        files_below(self.path("tmp")).iter().any(|file| file.to_string_lossy().contains(&name))
    }

    /// Returns every process of this home.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        let mark = format!("{HOME_VARIABLE}={}\0", self.path("").display()).into_bytes();
        let is_ours = |entry: &std::fs::DirEntry| {
            // An ended process has no environment.
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.windows(mark.len()).any(|part| part == mark)
        };
        let ours = std::fs::read_dir("/proc").into_iter().flatten().flatten().filter(is_ours);
        ours.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)).collect()
    }

    /// Returns the environment of an agent in the project, as its discovery reads it.
    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings {
            tmp: self.path("tmp"),
            home: self.path("home"),
            variables: HashMap::new(),
            cwd: self.project.clone(),
            pid: std::process::id(),
        }
    }

    /// Waits until Gemini CLI finds a companion, and connects it as [`Self::agent_of`] does.
    pub(crate) async fn agent(&self) -> Session {
        self.agent_of("gemini").await
    }

    /// Waits until this agent of the table finds a companion, connects it, and waits for its first context.
    pub(crate) async fn agent_of(&self, id: &str) -> Session {
        // A killed host may take longer to return than the 2.5 s for which agents wait.
        let here = self.surroundings();
        let found = until("a companion that serves the project", || found(id, &here)).await;
        let identity = Identity::new("gemini-cli-mcp-client-test", "0.61.0");
        let token = found.record.auth_token.as_deref();
        let agent = Session::connect_patiently(Endpoint::local(found.record.port), token, identity)
            .await
            .expect("the agent connects");
        // The companion sends the context first to every new listener.
        let context = agent.context();
        until("the agent to be told of the files", || context.borrow().is_some().then_some(())).await;
        agent
    }

    /// Connects an agent that proposes a text for the file.
    pub(crate) async fn proposes(&self, file: &str, text: &str) -> (Session, PendingDiff) {
        let agent = self.agent().await;
        let diff = propose(&agent, file, text).await;
        (agent, diff)
    }

    /// Connects an agent that proposes a text for the file, and returns them with the running desk.
    pub(crate) async fn proposal(
        &self,
        file: &str,
        text: &str,
        desk: Running,
    ) -> (Running, Session, PendingDiff) {
        let (agent, diff) = self.proposes(file, text).await;
        (desk, agent, diff)
    }
}

impl Drop for Home {
    /// Kills every process of this home. Hosts outlive the desks of a test, and a starting host has no entry
    /// yet.
    fn drop(&mut self) {
        for _ in 0..100 {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            for pid in left {
                let _ = kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Sets the permissions of a file or a directory.
pub(crate) fn set_mode(path: impl AsRef<Path>, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Returns the permissions of a file or a directory.
pub(crate) fn mode_of(path: impl AsRef<Path>) -> u32 {
    path.as_ref().metadata().unwrap().permissions().mode() & 0o777
}

/// Returns the companion that this agent of the table finds first.
pub(crate) fn found(id: &str, here: &Surroundings) -> Option<Found> {
    find::candidates(FamilyAgent::named(id).unwrap(), here).found.into_iter().next()
}

/// Sends a signal to a process. After SIGSTOP, waits until every thread has stopped: the system stops them
/// one by one, and a thread that still runs could take a lock and be stopped with it.
pub(crate) fn send(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
    let end = Instant::now() + DEADLINE;
    while signal == Signal::STOP && !is_stopped(pid) {
        assert!(Instant::now() < end, "waited in vain for a process to stop");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether every thread of a process is stopped.
fn is_stopped(pid: u32) -> bool {
    // Only Linux has this information.
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    threads.map(|thread| std::fs::read_to_string(thread.unwrap().path().join("stat"))).all(|stat| {
        // A thread that has just ended does not run either.
        stat.map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|state| state.starts_with('T')))
    })
}

/// Calls `poll` until it returns a value, which is the result.
///
/// # Panics
///
/// If there is no value within [`DEADLINE`]. The message names `what`.
pub(crate) async fn until<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + DEADLINE;
    loop {
        if let Some(value) = poll() {
            return value;
        }
        assert!(Instant::now() < end, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits for a future and returns its output.
///
/// # Panics
///
/// If the future takes longer than [`DEADLINE`]. The message names `what`.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Returns a home and a desk in line mode whose companion serves the project.
pub(crate) async fn serving() -> (Home, Running) {
    let home = Home::new();
    let desk = home.serving().await;
    (home, desk)
}

/// Returns a home, a desk in line mode whose companion serves the project, and the path of a file of the
/// project as agents spell it.
pub(crate) async fn serving_file(name: &str, text: &str) -> (Home, Running, String) {
    let (home, desk) = serving().await;
    let file = home.file(name, text);
    (home, desk, file)
}

/// Returns a home with a file, a desk in line mode, an agent, and the agent's proposal for that file.
pub(crate) async fn proposed(
    file: &str,
    original: &str,
    text: &str,
) -> (Home, Running, Session, PendingDiff) {
    let (home, file) = Home::with_file(file, original);
    let (desk, agent, diff) = home.proposal(&file, text, home.review(&[])).await;
    (home, desk, agent, diff)
}

/// Returns the outcome of a proposal that was accepted with this text.
pub(crate) fn accepted(text: &str) -> Outcome {
    Outcome::Accepted { content: text.into() }
}

/// Writes a file and creates its directories.
pub(crate) fn write_file(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Writes an executable file.
pub(crate) fn write_program(path: &Path, text: &str) {
    write_file(path, text);
    set_mode(path, 0o755);
}

/// Opens a diff with this text for the file.
pub(crate) async fn propose(agent: &Session, path: &str, text: &str) -> PendingDiff {
    soon("openDiff to be answered", agent.open_diff(path, text)).await.expect("the diff is opened")
}
