//! The companion that is measured: alongside, the baseline, a companion that a command starts, or a companion
//! that runs already.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Error, Result, bail, ensure};

use super::desk::{Desk, framed};
use super::discovery_watch::{self, Watch};
use super::person::Person;
use super::process;
use crate::install::Rig;
use crate::sandbox::Sandbox;
use crate::wire::Address;

/// The longest time until a companion can be found.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest time until a companion has ended.
const END_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time until a companion that has broken a connection has ended.
const DEATH_TIMEOUT: Duration = Duration::from_secs(5);
/// The name of each host and of its socket.
const HOST: &str = "bench";

/// A companion to measure.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Its name in the table.
    pub name: String,
    /// The way to start it, or to find it.
    pub kind: Kind,
    /// The driver of its editor: a command, or `unix:SOCKET`.
    pub drive: Option<String>,
}

/// A kind of companion to measure.
#[derive(Debug, Clone)]
pub enum Kind {
    /// This program of alongside, as a host.
    Ours(PathBuf),
    /// The baseline: a companion as a plugin's author would write it today.
    Baseline(Box<Rig>),
    /// The program that this command starts.
    Command(String),
    /// The companion that this discovery file leads to.
    File(PathBuf),
}

/// A companion that runs.
#[derive(Debug)]
pub(super) struct Companion {
    pub(super) address: Address,
    pub(super) project: PathBuf,
    /// The person at its editor, or the reason why there is none.
    pub(super) person: Result<Person, String>,
    /// The process that listens.
    pub(super) pid: u32,
    /// The time from before its start until its last discovery file was written.
    pub(super) time_to_found: Option<Duration>,
    /// Its discovery files.
    pub(super) files: Vec<PathBuf>,
    child: Option<Child>,
    /// The program of alongside, if this process started it.
    own_program: Option<PathBuf>,
    /// Dropped last: the sandbox ends the processes that are left.
    sandbox: Option<Sandbox>,
}

impl Subject {
    /// The program, if the companion is alongside.
    pub(super) fn program(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Ours(program) => Some(program),
            Kind::Baseline(_) | Kind::Command(_) | Kind::File(_) => None,
        }
    }

    /// Whether the bench can start this companion; otherwise it runs already.
    pub(super) fn is_startable(&self) -> bool {
        !matches!(self.kind, Kind::File(_))
    }

    /// Starts the companion, and waits until it can be found.
    pub(super) fn start(&self) -> Result<Companion> {
        let sandbox = Sandbox::new();
        let mut command = match &self.kind {
            Kind::File(file) => return self.attach(file),
            Kind::Ours(program) => {
                let mut command = Command::new(program);
                command.args(["host", "--serve", HOST, "--starter", &std::process::id().to_string(), "--"]);
                command.arg(sandbox.project());
                command
            }
            Kind::Baseline(rig) => {
                let mut command = Command::new(rig.node());
                command.arg(crate::node_script("baseline/companion.mjs")).arg(rig.modules("mcp-sdks"));
                command.arg(sandbox.project()).arg(sandbox.run().join("control"));
                command
            }
            Kind::Command(line) => {
                let mut command = Command::new("sh");
                command.args(["-c", &format!("exec {line}")]);
                command
            }
        };
        let mut companion = start(&mut command, sandbox, None)?;
        if let Kind::Ours(program) = &self.kind {
            companion.own_program = Some(program.clone());
        }
        companion.person = self.person(companion.sandbox.as_ref()).map_err(|error| format!("{error:#}"));
        Ok(companion)
    }

    /// Starts alongside as an editor does: as a language server, which starts the host.
    pub(super) fn start_as_server(&self) -> Result<Companion> {
        let Kind::Ours(program) = &self.kind else {
            bail!("only alongside can be started as a language server here")
        };
        let sandbox = Sandbox::new();
        let uri = format!("file://{}", sandbox.project().display());
        let folder = serde_json::json!({ "uri": uri, "name": "project" });
        let params = serde_json::json!({
            "processId": std::process::id(), "clientInfo": { "name": "bench" }, "capabilities": {},
            "workspaceFolders": [folder],
        });
        let hello =
            serde_json::json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let ready = serde_json::json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} });
        let messages: String = [hello, ready].map(|message| framed(&message)).concat();
        start(Command::new(program).arg("lsp"), sandbox, Some(&messages))
    }

    fn person(&self, sandbox: Option<&Sandbox>) -> Result<Person> {
        match (&self.kind, &self.drive, sandbox) {
            (_, Some(drive), _) => Person::from_drive(drive, sandbox),
            (Kind::Ours(_), None, Some(sandbox)) => {
                let socket = sandbox.hosts().join(HOST).with_extension("sock");
                // The socket listens only after the discovery files are written.
                Ok(Person::Desk(retry(|| Desk::join(&socket))?))
            }
            (Kind::Baseline(_), None, Some(sandbox)) => {
                retry(|| Person::dial(&sandbox.run().join("control")))
            }
            _ => bail!("nobody moves the cursor or accepts: say who does with --drive"),
        }
    }

    fn attach(&self, file: &Path) -> Result<Companion> {
        let (address, project) = discovery_watch::read(file)?;
        let pid = process::listener_of(address.port)?;
        let project =
            project.with_context(|| format!("{} names no project that is there", file.display()))?;
        let person = self.person(None).map_err(|error| format!("{error:#}"));
        let files = vec![file.to_owned()];
        Ok(Companion {
            address,
            project,
            person,
            pid,
            time_to_found: None,
            files,
            child: None,
            own_program: None,
            sandbox: None,
        })
    }
}

/// Starts a command, writes `messages` to it, and waits until its companion can be found.
fn start(command: &mut Command, sandbox: Sandbox, messages: Option<&str>) -> Result<Companion> {
    use std::io::Write as _;
    use std::os::unix::process::CommandExt as _;

    // NODE_OPTIONS loads scripts for agents in containers. A companion does not need them, and one in Node
    // would start more slowly.
    let environment = sandbox.env().into_iter().filter(|(name, _)| *name != "NODE_OPTIONS");
    command.env_clear().envs(environment);
    command.current_dir(sandbox.project()).process_group(0);
    let input = if messages.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::null());
    let mut watch = Watch::begin(&sandbox)?;
    let since = Instant::now();
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if let (Some(messages), Some(input)) = (messages, &mut child.stdin) {
        input.write_all(messages.as_bytes())?;
    }
    while !watch.collect(Duration::from_millis(20)) {
        if let Some(status) = child.try_wait()?.filter(|status| !status.success()) {
            return Err(death_error(status));
        }
        ensure!(
            since.elapsed() < START_TIMEOUT,
            "no discovery file is there after {} s",
            START_TIMEOUT.as_secs()
        );
    }
    let files = watch.files();
    let (address, _) =
        discovery_watch::read(files.first().context("the companion has removed its discovery files")?)?;
    let time_to_found = watch.last_written().map(|written_at| written_at.duration_since(since));
    Ok(Companion {
        pid: process::listener_of(address.port)?,
        project: sandbox.project(),
        person: Err("nobody is there".into()),
        time_to_found,
        files,
        address,
        child: Some(child),
        own_program: None,
        sandbox: Some(sandbox),
    })
}

impl Companion {
    /// Returns this error, with the companion's exit status if the companion has died.
    pub(super) fn explain(&mut self, error: Error) -> Error {
        // A connection breaks before its companion has ended; on a busy machine, seconds before.
        let until = Instant::now() + DEATH_TIMEOUT;
        loop {
            match self.child.as_mut().map(Child::try_wait) {
                Some(Ok(Some(status))) => return error.context(death_error(status)),
                Some(Ok(None)) if Instant::now() < until => std::thread::sleep(Duration::from_millis(10)),
                _ => return error,
            }
        }
    }

    pub(super) fn person(&mut self) -> Result<&mut Person> {
        self.person.as_mut().map_err(|why| anyhow::anyhow!("{why}"))
    }

    /// The sandbox of a companion that was started here.
    pub(super) fn sandbox(&self) -> Result<&Sandbox> {
        self.sandbox.as_ref().context("the companion was not started here")
    }

    /// The desk of the bench at this companion.
    pub(super) fn desk(&mut self) -> Result<&Desk> {
        match self.person()? {
            Person::Desk(desk) => Ok(desk),
            Person::Socket { .. } | Person::Command { .. } => bail!("no desk is there"),
        }
    }

    /// The command that runs alongside with these arguments in the environment of this companion.
    pub(super) fn program(&self, arguments: &[&str]) -> Option<Command> {
        let (program, sandbox) = self.own_program.as_ref().zip(self.sandbox.as_ref())?;
        let mut command = Command::new(program);
        command.env_clear().envs(sandbox.env()).current_dir(&self.project).args(arguments);
        Some(command)
    }

    /// Whether the companion is alongside, in a release that has hooks.
    pub(super) fn has_hook(&self) -> bool {
        let Some(mut command) = self.program(&["hook", "--help"]) else { return false };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Sends SIGTERM to the companion.
    pub(super) fn terminate(&self) -> Result<()> {
        let pid = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
        let pid = pid.context("the companion has no process")?;
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)
            .context("the companion cannot be asked to end")
    }

    /// Waits until the companion has ended.
    pub(super) fn wait_for_end(&mut self) -> Result<()> {
        let child = self.child.as_mut().context("the companion was not started here")?;
        let until = Instant::now() + END_TIMEOUT;
        // The process that listens may outlive the program that was started.
        while child.try_wait()?.is_none() || alongside_platform::process::is_alive(self.pid) {
            ensure!(Instant::now() < until, "the companion does not end within {} s", END_TIMEOUT.as_secs());
            std::thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Both fail only if the child has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn death_error(status: ExitStatus) -> Error {
    anyhow::anyhow!("the companion has died ({status})")
}

/// Repeats an attempt until it succeeds, for 5 s at most.
fn retry<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        match attempt() {
            Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            done => return done,
        }
    }
}
