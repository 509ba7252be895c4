//! The companion that is measured: ours, the baseline, a command that starts a companion, or one that runs
//! already.

use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Error, Result, bail, ensure};

use super::desk::{Desk, framed};
use super::discovery_watch::{self, Watch};
use super::editor_hands::Hands;
use super::process;
use crate::install::Rig;
use crate::sandbox::Sandbox;
use crate::wire::Address;

/// How long a companion may take to be found.
const STARTED_WITHIN: Duration = Duration::from_secs(30);
/// How long a companion may take to end.
const ENDED_WITHIN: Duration = Duration::from_secs(10);
/// How long a companion may take to end after it has broken a connection.
const DYING_WITHIN: Duration = Duration::from_secs(5);
/// The name of our hosts, and that of their sockets.
const HOST: &str = "bench";

/// A companion to measure.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Its name in the table.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// The driver of its editor: a command, or `unix:SOCKET`.
    pub drive: Option<String>,
}

/// A kind of companion to measure.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A program of ours, as a host.
    Ours(PathBuf),
    /// The baseline: what a plugin author would write today.
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
    /// The hands of its person; or the reason why nobody does what a person would.
    pub(super) hands: Result<Hands, String>,
    /// The process that listens.
    pub(super) pid: u32,
    /// The time from before its start until its last discovery file was there.
    pub(super) found_after: Option<Duration>,
    /// Its discovery files.
    pub(super) files: Vec<PathBuf>,
    child: Option<Child>,
    /// The program, if it is ours and was started here.
    ours: Option<PathBuf>,
    /// Dropped last: it ends what is left.
    sandbox: Option<Sandbox>,
}

impl Subject {
    /// Whether it can be started, as often as one likes.
    pub(super) fn starts(&self) -> bool {
        !matches!(self.kind, Kind::File(_))
    }

    /// Starts it, and waits until it can be found.
    pub(super) fn start(&self) -> Result<Companion> {
        let sandbox = Sandbox::new();
        let mut command = match &self.kind {
            Kind::File(file) => return self.running(file),
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
            companion.ours = Some(program.clone());
        }
        companion.hands = self.hands(companion.sandbox.as_ref()).map_err(|error| format!("{error:#}"));
        Ok(companion)
    }

    /// Starts ours as an editor does: as a language server, which starts the host.
    pub(super) fn start_as_server(&self) -> Result<Companion> {
        let Kind::Ours(program) = &self.kind else { bail!("it is no language server that is known here") };
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
        let said: String = [hello, ready].map(|message| framed(&message)).concat();
        start(Command::new(program).arg("lsp"), sandbox, Some(&said))
    }

    fn hands(&self, sandbox: Option<&Sandbox>) -> Result<Hands> {
        match (&self.kind, &self.drive, sandbox) {
            (_, Some(drive), _) => Hands::of(drive, sandbox),
            (Kind::Ours(_), None, Some(sandbox)) => {
                let socket = sandbox.hosts().join(HOST).with_extension("sock");
                // It listens after it can be found.
                Ok(Hands::Desk(eventually(|| Desk::join(&socket))?))
            }
            (Kind::Baseline(_), None, Some(sandbox)) => {
                eventually(|| Hands::dial(&sandbox.run().join("control")))
            }
            _ => bail!("nobody moves the cursor or accepts: say who does with --drive"),
        }
    }

    fn running(&self, file: &std::path::Path) -> Result<Companion> {
        let (address, project) = discovery_watch::read(file)?;
        let pid = process::listens_on(address.port)?;
        let project =
            project.with_context(|| format!("{} names no project that is there", file.display()))?;
        let hands = self.hands(None).map_err(|error| format!("{error:#}"));
        let files = vec![file.to_owned()];
        Ok(Companion {
            address,
            project,
            hands,
            pid,
            found_after: None,
            files,
            child: None,
            ours: None,
            sandbox: None,
        })
    }
}

/// Starts a command, says something to it, and waits until it can be found.
fn start(command: &mut Command, sandbox: Sandbox, said: Option<&str>) -> Result<Companion> {
    use std::io::Write as _;
    use std::os::unix::process::CommandExt as _;

    // The variables for agents in containers are of no use to a companion, and would cost one in Node
    // its time.
    let environment = sandbox.env().into_iter().filter(|(name, _)| *name != "NODE_OPTIONS");
    command.env_clear().envs(environment);
    command.current_dir(sandbox.project()).process_group(0);
    let input = if said.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::null());
    let mut watch = Watch::begin(&sandbox)?;
    let since = Instant::now();
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if let (Some(said), Some(input)) = (said, &mut child.stdin) {
        input.write_all(said.as_bytes())?;
    }
    while !watch.look(Duration::from_millis(20)) {
        if let Some(status) = child.try_wait()?.filter(|status| !status.success()) {
            return Err(died(status));
        }
        ensure!(
            since.elapsed() < STARTED_WITHIN,
            "no discovery file is there after {} s",
            STARTED_WITHIN.as_secs()
        );
    }
    let files = watch.files();
    let (address, _) = discovery_watch::read(files.first().context("its discovery files are gone again")?)?;
    let found_after = watch.newest().map(|newest| newest.duration_since(since));
    Ok(Companion {
        pid: process::listens_on(address.port)?,
        project: sandbox.project(),
        hands: Err("nobody is there".into()),
        found_after,
        files,
        address,
        child: Some(child),
        ours: None,
        sandbox: Some(sandbox),
    })
}

impl Companion {
    /// The same error, or what is behind it: that the companion is dead.
    pub(super) fn explain(&mut self, error: Error) -> Error {
        // A connection breaks before its companion has ended, long before on a busy machine.
        let until = Instant::now() + DYING_WITHIN;
        loop {
            match self.child.as_mut().map(Child::try_wait) {
                Some(Ok(Some(status))) => return error.context(died(status)),
                Some(Ok(None)) if Instant::now() < until => std::thread::sleep(Duration::from_millis(10)),
                _ => return error,
            }
        }
    }

    pub(super) fn hands(&mut self) -> Result<&mut Hands> {
        self.hands.as_mut().map_err(|why| anyhow::anyhow!("{why}"))
    }

    /// The program of ours with these arguments, in the environment of its companion.
    pub(super) fn program(&self, arguments: &[&str]) -> Option<Command> {
        let (program, sandbox) = self.ours.as_ref().zip(self.sandbox.as_ref())?;
        let mut command = Command::new(program);
        command.env_clear().envs(sandbox.env()).current_dir(&self.project).args(arguments);
        Some(command)
    }

    /// Whether its program is ours and runs as an agent's hook.
    pub(super) fn has_hook(&self) -> bool {
        let Some(mut command) = self.program(&["hook", "--help"]) else { return false };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Asks it to end.
    pub(super) fn terminate(&self) -> Result<()> {
        let pid = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
        let pid = pid.context("it has no process")?;
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).context("it cannot be asked to end")
    }

    /// Waits until it has ended.
    pub(super) fn wait_for_end(&mut self) -> Result<()> {
        let child = self.child.as_mut().context("it was not started here")?;
        let until = Instant::now() + ENDED_WITHIN;
        // The started program may have left a listener behind.
        while child.try_wait()?.is_none() || alongside_platform::process::is_alive(self.pid) {
            ensure!(Instant::now() < until, "it does not end within {} s", ENDED_WITHIN.as_secs());
            std::thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Errors are those of one that has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn died(status: ExitStatus) -> Error {
    anyhow::anyhow!("the companion has died ({status})")
}

/// Tries again for some seconds until it works.
fn eventually<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        match attempt() {
            Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            done => return done,
        }
    }
}
