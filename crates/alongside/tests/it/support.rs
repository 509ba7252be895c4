//! A home for each test, a running `alongside review`, and an agent that finds it as agents do.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use alongside_agent::find::{self, Surroundings};
use alongside_agent::{Endpoint, Identity, PendingDiff, Session};
use alongside_contract::family::FAMILIES;

/// The deadline of every wait. Only a failing test waits this long.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// A machine for one test: home, temporary directory and a project.
pub(crate) struct Home {
    dir: tempfile::TempDir,
    pub(crate) project: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for name in ["home", "tmp", "run", "project"] {
            std::fs::create_dir(base.join(name)).unwrap();
        }
        private(&base.join("run"));
        Self { project: base.join("project"), dir }
    }

    /// A path in the temporary directory of this home.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(below)
    }

    /// Writes a file of the project and returns its path as agents spell it.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.project.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A program that runs in the project. Of the real environment it gets only PATH.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(&self.project);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("XDG_RUNTIME_DIR", self.path("run"));
        command
    }

    pub(crate) fn alongside(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_alongside"));
        command.args(args);
        command
    }

    /// Runs to the end, with an empty standard input.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        finish(self.alongside(args).stdin(Stdio::null()))
    }

    pub(crate) fn review(&self, args: &[&str]) -> Running {
        self.start(self.alongside(&["review"]).args(args))
    }

    /// Starts a program with pipes to the test.
    pub(crate) fn start(&self, command: &mut Command) -> Running {
        Running::start(command)
    }

    /// Starts alongside at a terminal of its own, with Ctrl-C, Ctrl-D and echo.
    pub(crate) fn at_terminal(&self, args: &[&str]) -> Running {
        let mut command = self.command("setsid");
        command.args(["--ctty", env!("CARGO_BIN_EXE_alongside")]).args(args).env("TERM", "dumb");
        Running::at_terminal(&mut command)
    }

    /// This home as seen from a directory of the project.
    pub(crate) fn inside(mut self, below: &str) -> Self {
        self.project.push(below);
        self
    }

    /// The process and the name of each running host.
    pub(crate) fn hosts(&self) -> Vec<(u32, String)> {
        let entries = files_below(&self.path("run")).into_iter();
        let entries = entries.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        let read = |path| serde_json::from_slice::<serde_json::Value>(&std::fs::read(path).ok()?).ok();
        entries
            .filter_map(read)
            .filter_map(|entry| {
                let pid = u32::try_from(entry["pid"].as_u64()?).ok()?;
                Some((pid, entry["name"].as_str()?.to_owned()))
            })
            .collect()
    }

    /// Kills every host.
    pub(crate) fn kill_hosts(&self) {
        for (pid, _) in self.hosts() {
            let pid = rustix::process::Pid::from_raw(pid.cast_signed());
            let _ = pid.map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::KILL));
        }
    }

    /// The surroundings of an agent in the project.
    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings {
            tmp: self.path("tmp"),
            home: self.path("home"),
            variables: HashMap::new(),
            cwd: self.project.clone(),
            pid: std::process::id(),
        }
    }

    /// Waits for a companion to be found, connects, and listens.
    pub(crate) async fn agent(&self) -> Session {
        // A killed host may take longer to return than the 2.5 s after which agents give up.
        let found = until("a companion that serves the project", || {
            find::candidates(&FAMILIES[0], &self.surroundings()).found.into_iter().next()
        })
        .await;
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
}

impl Drop for Home {
    /// Kills every process that has this home: hosts outlive the desks of a test, and a starting one is in no
    /// list.
    fn drop(&mut self) {
        let mark = format!("XDG_RUNTIME_DIR={}\0", self.path("run").display());
        for _ in 0..100 {
            let left: Vec<_> = processes().filter(|(_, environment)| environment.contains(&mark)).collect();
            for (pid, _) in &left {
                let _ = rustix::process::kill_process(*pid, rustix::process::Signal::KILL);
            }
            if left.is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// All processes of this user and their environments. An ended process has none.
fn processes() -> impl Iterator<Item = (rustix::process::Pid, String)> {
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        let pid = rustix::process::Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        Some((pid, String::from_utf8_lossy(&environment).into_owned()))
    })
}

fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Output {
    let mut child = Group(command.stdout(Stdio::piped()).stderr(Stdio::piped()).group().spawn().unwrap());
    let (out, err) = (drain(child.0.stdout.take().unwrap()), drain(child.0.stderr.take().unwrap()));
    let status = child.wait(&out);
    // A pipe ends with the last process that holds it.
    let until = Instant::now() + DEADLINE;
    while Instant::now() < until && !(out.ended() && err.ended()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    Output { status, stdout: out.text().into_bytes(), stderr: err.text().into_bytes() }
}

/// Polls until `look` returns a value, or fails and names what was awaited.
pub(crate) async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + DEADLINE;
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(Instant::now() < end, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits for a future, or fails and names what was awaited.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Measures by how much this machine oversleeps. Everything else is late by at least that much.
pub(crate) struct Lateness(Arc<AtomicU64>);

impl Lateness {
    /// Measures from now on, in a thread that ends with this value.
    pub(crate) fn begin() -> Self {
        const NAP: Duration = Duration::from_millis(10);
        let late = Arc::new(AtomicU64::new(0));
        let sum = Arc::downgrade(&late);
        std::thread::spawn(move || {
            loop {
                let began = Instant::now();
                std::thread::sleep(NAP);
                let Some(sum) = sum.upgrade() else { return };
                let over = began.elapsed().saturating_sub(NAP);
                sum.fetch_add(over.as_micros().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
            }
        });
        Self(late)
    }

    pub(crate) fn so_far(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

/// Opens a diff.
pub(crate) async fn propose(agent: &Session, path: &str, text: &str) -> PendingDiff {
    soon("openDiff to be answered", agent.open_diff(path, text)).await.expect("the diff is opened")
}

/// The output of a program so far.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<(Vec<u8>, bool)>>);

impl Written {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap().0).into_owned()
    }

    fn ended(&self) -> bool {
        self.0.lock().unwrap().1
    }
}

fn drain(mut from: impl Read + Send + 'static) -> Written {
    let written = Written::default();
    let into = written.clone();
    std::thread::spawn(move || {
        let mut piece = [0; 8192];
        loop {
            match from.read(&mut piece) {
                Ok(n @ 1..) => into.0.lock().unwrap().0.extend_from_slice(&piece[..n]),
                _ => break into.0.lock().unwrap().1 = true,
            }
        }
    });
    written
}

trait InGroup {
    fn group(&mut self) -> &mut Self;
}

impl InGroup for Command {
    /// Starts a process group, which ends with the test.
    fn group(&mut self) -> &mut Self {
        std::os::unix::process::CommandExt::process_group(self, 0)
    }
}

struct Group(Child);

impl Group {
    fn wait(&mut self, seen: &Written) -> ExitStatus {
        let end = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(
                Instant::now() < end,
                "waited in vain for the program to end; it wrote:\n{}",
                seen.text()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.0.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// A running program and its output.
pub(crate) struct Running {
    process: Group,
    input: Option<Box<dyn Write + Send>>,
    pub(crate) out: Written,
    pub(crate) err: Written,
    /// How much of the output `shows` has consumed.
    read: usize,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).group();
        let mut child = command.spawn().unwrap();
        let (out, err) = (drain(child.stdout.take().unwrap()), drain(child.stderr.take().unwrap()));
        let input = child.stdin.take().map(|input| Box::new(input) as _);
        Self { input, process: Group(child), out, err, read: 0 }
    }

    pub(crate) fn at_terminal(command: &mut Command) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).and_then(|()| unlockpt(&ours)).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = std::fs::File::options().read(true).write(true).open(name).unwrap();
        let theirs = || Stdio::from(theirs.try_clone().unwrap());
        command.stdin(theirs()).stdout(theirs()).stderr(theirs());
        // setsid makes it the leader of a new group.
        let child = command.spawn().unwrap();
        let ours = std::fs::File::from(ours);
        let (out, err) = (drain(ours.try_clone().unwrap()), Written::default());
        Self { input: Some(Box::new(ours)), process: Group(child), out, err, read: 0 }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.0.id()
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the program reads");
    }

    /// Presses keys, without a final Enter.
    pub(crate) fn presses(&mut self, keys: &str) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(keys.as_bytes()).and_then(|()| input.flush()).expect("the program reads");
    }

    /// Reads a question as slowly as a person, because answers that come too soon do not count.
    pub(crate) async fn reads(&mut self, question: &str) -> String {
        let seen = self.shows(question).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        seen
    }

    pub(crate) fn ends_input(&mut self) {
        self.input = None;
    }

    /// Waits for a text behind the last one, and returns the output up to its end.
    pub(crate) async fn shows(&mut self, text: &str) -> String {
        let end = Instant::now() + DEADLINE;
        loop {
            let all = self.out.text();
            if let Some(at) = all[self.read..].find(text) {
                let seen = all[self.read..self.read + at + text.len()].to_owned();
                self.read += at + text.len();
                return seen;
            }
            assert!(
                Instant::now() < end,
                "waited in vain for {text:?}; instead there was:\n{}\n--- and as errors:\n{}",
                &all[self.read..],
                self.err.text()
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits for a question and answers it.
    pub(crate) async fn answers(&mut self, question: &str, answer: &str) -> String {
        let seen = self.shows(question).await;
        self.types(answer);
        seen
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid().cast_signed()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for the end and returns the exit status.
    pub(crate) fn ends(&mut self) -> ExitStatus {
        self.process.wait(&self.out)
    }
}

/// All files below a directory.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files.sort();
    files
}
