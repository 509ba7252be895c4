//! `--drive CMD`: a command does what is needed in the editor, once for each action.

use std::ffi::OsString;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use alongside_conformance::{Action, Driver, Refusal, Reply};
use alongside_platform::{Os, process};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

/// How long an action may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// The exit code of a command that cannot do such a thing.
const CANNOT: i32 = 3;
/// The exit codes of a shell that cannot execute a command, or does not find it.
const NOT_RUN: [i32; 2] = [126, 127];
/// How much of what it says is repeated, in bytes.
const SAID: usize = 200;

pub(super) struct Command {
    command: String,
    failed: NotRunnable,
    patience: Duration,
}

/// The running command with all that it started. Dropping this ends them, unless it [was
/// released](Self::release).
struct Group {
    leader: Option<u32>,
}

impl Group {
    /// Leaves background processes alone: an editor is meant to go on.
    fn release(&mut self) {
        self.leader = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.leader {
            process::end_group(leader);
        }
    }
}

/// Why the command cannot be run at all, once it is known.
#[derive(Clone)]
pub(super) struct NotRunnable(Arc<watch::Sender<Option<String>>>);

impl Default for NotRunnable {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }
}

impl NotRunnable {
    pub(super) fn why(&self) -> Option<String> {
        self.0.borrow().clone()
    }

    /// Waits until the command failed.
    pub(super) async fn wait(&self) {
        // The sender is its own.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}

impl Command {
    pub(super) fn new(command: &str, failed: NotRunnable) -> Self {
        Self { command: command.to_owned(), failed, patience: PATIENCE }
    }

    async fn run(&self, action: &Action) -> Result<Reply, Refusal> {
        let mut shell = self.through_the_shell(action);
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        process::lead_group(shell.as_std_mut());
        let cannot = |why: String| Err(Refusal::Cannot(why));
        let failed = |why: String| Err(Refusal::Failed(why));
        let not_run = |error: std::io::Error| {
            self.failed.0.send_replace(Some(error.to_string()));
            failed(format!("it cannot be run: {error}"))
        };
        let running = match shell.spawn() {
            Ok(running) => running,
            Err(error) => return not_run(error),
        };
        let mut group = Group { leader: running.id() };
        let output = match tokio::time::timeout(self.patience, running.wait_with_output()).await {
            Ok(Ok(output)) => output,
            Ok(Err(error)) => return not_run(error),
            Err(_) => return failed(format!("it did not end within {} s", self.patience.as_secs())),
        };
        group.release();
        let said = String::from_utf8_lossy(&output.stderr[..output.stderr.len().min(SAID)]).trim().to_owned();
        match output.status.code() {
            Some(0) => Ok(Reply::Done),
            Some(1) if matches!(action, Action::IsShown { .. }) => Ok(Reply::No),
            Some(CANNOT) if said.is_empty() => cannot("the command of --drive exited with 3".into()),
            Some(CANNOT) => cannot(said),
            Some(code) if NOT_RUN.contains(&code) => {
                self.failed.0.send_replace(Some(said.clone()));
                failed(format!("it cannot be run: {said}"))
            }
            Some(code) if said.is_empty() => failed(format!("it ended with {code}")),
            Some(code) => failed(format!("it ended with {code}: {said}")),
            None => failed(format!("it was ended by a signal: {said}")),
        }
    }

    /// `CMD ACTION ARGUMENT…`, so that CMD may have arguments of its own; and the same in variables.
    fn through_the_shell(&self, action: &Action) -> tokio::process::Command {
        let arguments = action.arguments();
        let behind = [action.name().to_owned()].into_iter().chain(arguments.clone()).map(OsString::from);
        let (program, words) = alongside_platform::shell::run(Os::HERE, &self.command, behind);
        let mut shell = tokio::process::Command::new(program);
        shell.args(words).env("ALONGSIDE_CHECK_ACTION", action.name());
        for (number, argument) in arguments.iter().enumerate() {
            shell.env(format!("ALONGSIDE_CHECK_{}", number + 1), argument);
        }
        shell
    }
}

impl Driver for Command {
    fn act<'a>(&'a self, action: &'a Action) -> BoxFuture<'a, Result<Reply, Refusal>> {
        self.run(action).boxed()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    async fn acts(command: &str, action: Action) -> Result<Reply, Refusal> {
        Command::new(command, NotRunnable::default()).act(&action).await
    }

    #[tokio::test]
    async fn a_command_gets_the_action_and_answers_by_exit_code() {
        let accept = || Action::Accept { path: "/a b/it's $HOME.txt".into() };
        let script = r#"test "$1" = accept -a "$2" = "/a b/it's \$HOME.txt" &&
            test "$2" = "$ALONGSIDE_CHECK_1"; exit $? #"#;
        let told = acts(&format!("f() {{ {}\n}}; f", script.trim_end_matches(" #")), accept()).await;
        assert_eq!(told, Ok(Reply::Done));
        let shown = || Action::IsShown { path: "/a".into() };
        assert_eq!(acts("false", shown()).await, Ok(Reply::No));
        let cannot = acts("sh -c 'echo no such thing >&2; exit 3' --", accept()).await;
        assert_eq!(cannot, Err(Refusal::Cannot("no such thing".into())));
        let Err(Refusal::Failed(why)) = acts("sh -c 'echo oh >&2; exit 7' --", accept()).await else {
            panic!("it failed")
        };
        assert!(why.contains("ended with 7: oh"), "{why}");
    }

    /// A command that starts another process and waits for it, and where it writes that one's number.
    fn waiting(directory: &std::path::Path) -> (Command, std::path::PathBuf) {
        let noted = directory.join("pid");
        let command = format!("f() {{ sleep 600 & echo $! > '{}'; wait; }}; f", noted.display());
        (Command::new(&command, NotRunnable::default()), noted)
    }

    /// The process whose number is written there, once it is.
    async fn started(noted: &std::path::Path) -> u32 {
        let started = async {
            loop {
                if let Some(pid) = std::fs::read_to_string(noted).ok().and_then(|pid| pid.trim().parse().ok())
                {
                    return pid;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let pid = tokio::time::timeout(Duration::from_secs(30), started).await.ok();
        assert!(pid.is_some(), "the command starts");
        pid.unwrap_or_default()
    }

    async fn gone(pid: u32) {
        let gone = async {
            while process::is_alive(pid) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let ended = tokio::time::timeout(Duration::from_secs(30), gone).await;
        assert!(ended.is_ok(), "what the command started is ended");
    }

    #[tokio::test]
    async fn a_slow_command_is_ended_with_its_children() {
        let directory = tempfile::tempdir().unwrap();
        let (mut command, noted) = waiting(directory.path());
        command.patience = Duration::from_secs(40);
        let too_long = async {
            let pid = started(&noted).await;
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(40)).await;
            tokio::time::resume();
            pid
        };
        let (told, pid) = tokio::join!(command.act(&Action::New), too_long);
        assert_eq!(told, Err(Refusal::Failed("it did not end within 40 s".into())));
        gone(pid).await;
    }

    #[tokio::test]
    async fn an_interrupted_command_is_ended_with_its_children() {
        let directory = tempfile::tempdir().unwrap();
        let (command, noted) = waiting(directory.path());
        let pid = tokio::select! {
            told = command.act(&Action::New) => panic!("it waits: {told:?}"),
            pid = started(&noted) => pid,
        };
        gone(pid).await;
    }

    #[tokio::test]
    async fn background_processes_of_a_command_go_on() {
        let directory = tempfile::tempdir().unwrap();
        let noted = directory.path().join("pid");
        let command = format!("f() {{ sleep 600 2> /dev/null & echo $! > '{}'; }}; f", noted.display());
        assert_eq!(acts(&command, Action::New).await, Ok(Reply::Done));
        let pid = started(&noted).await;
        assert!(process::is_alive(pid));
        process::send(pid, 9);
    }

    #[tokio::test]
    async fn a_missing_command_differs_from_one_that_cannot() {
        let failed = NotRunnable::default();
        let action = || Action::Accept { path: "/a".into() };
        let _ = Command::new("sh -c 'exit 3' --", failed.clone()).act(&action()).await;
        assert_eq!(failed.why(), None);
        let _ = Command::new("./no-such-driver", failed.clone()).act(&action()).await;
        failed.wait().await;
        assert!(failed.why().is_some_and(|why| why.contains("no-such-driver")), "{:?}", failed.why());
    }
}
