//! `--drive CMD`: runs a command once for each action in the editor.

use std::ffi::OsString;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use alongside_conformance::{Action, Driver, Refusal, Reply};
use alongside_platform::{Os, process};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

/// The time for an action.
const ACTION_TIMEOUT: Duration = Duration::from_secs(60);
/// The exit code of a command for an action that the editor cannot do.
const CANNOT_CODE: i32 = 3;
/// The exit codes of a shell that cannot execute a command, or does not find it.
const NOT_RUN_CODES: [i32; 2] = [126, 127];
/// The most bytes of standard error that a failure repeats.
const MAX_ERROR_BYTES: usize = 200;

/// The command of `--drive`.
pub(super) struct Command {
    command: String,
    run_failure: RunFailure,
    timeout: Duration,
}

/// The process group of the running command. Dropping the group ends it, unless it [was
/// released](Self::release).
struct Group {
    leader: Option<u32>,
}

impl Group {
    /// Lets background processes run, such as an editor.
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

/// The reason why the command cannot be run, once that is known.
#[derive(Clone)]
pub(super) struct RunFailure(Arc<watch::Sender<Option<String>>>);

impl Default for RunFailure {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }
}

impl RunFailure {
    pub(super) fn reason(&self) -> Option<String> {
        self.0.borrow().clone()
    }

    /// Waits until the command could not be run.
    pub(super) async fn wait(&self) {
        // The sender lives as long as this value.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}

impl Command {
    pub(super) fn new(command: &str, run_failure: RunFailure) -> Self {
        Self { command: command.to_owned(), run_failure, timeout: ACTION_TIMEOUT }
    }

    async fn run(&self, action: &Action) -> Result<Reply, Refusal> {
        let mut shell = self.shell_command(action);
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        process::lead_group(shell.as_std_mut());
        let cannot = |why: String| Err(Refusal::Cannot(why));
        let failed = |why: String| Err(Refusal::Failed(why));
        let not_run = |error: std::io::Error| {
            self.run_failure.0.send_replace(Some(error.to_string()));
            failed(format!("it cannot be run: {error}"))
        };
        let running = match shell.spawn() {
            Ok(running) => running,
            Err(error) => return not_run(error),
        };
        let mut group = Group { leader: running.id() };
        let output = match tokio::time::timeout(self.timeout, running.wait_with_output()).await {
            Ok(Ok(output)) => output,
            Ok(Err(error)) => return not_run(error),
            Err(_) => return failed(format!("it did not end within {} s", self.timeout.as_secs())),
        };
        group.release();
        let error = &output.stderr[..output.stderr.len().min(MAX_ERROR_BYTES)];
        let error = String::from_utf8_lossy(error).trim().to_owned();
        match output.status.code() {
            Some(0) => Ok(Reply::Done),
            Some(1) if matches!(action, Action::IsShown { .. }) => Ok(Reply::No),
            Some(CANNOT_CODE) if error.is_empty() => cannot("the command of --drive exited with 3".into()),
            Some(CANNOT_CODE) => cannot(error),
            Some(code) if NOT_RUN_CODES.contains(&code) => {
                self.run_failure.0.send_replace(Some(error.clone()));
                failed(format!("it cannot be run: {error}"))
            }
            Some(code) if error.is_empty() => failed(format!("it ended with {code}")),
            Some(code) => failed(format!("it ended with {code}: {error}")),
            None => failed(format!("it was ended by a signal: {error}")),
        }
    }

    /// Returns the shell command `CMD ACTION ARGUMENT…`, in which CMD may have arguments of its own, with the
    /// action also in variables.
    fn shell_command(&self, action: &Action) -> tokio::process::Command {
        let arguments = action.arguments();
        let words = [action.name().to_owned()].into_iter().chain(arguments.clone()).map(OsString::from);
        let (program, arguments_of_shell) = alongside_platform::shell::run(Os::HERE, &self.command, words);
        let mut shell = tokio::process::Command::new(program);
        shell.args(arguments_of_shell).env("ALONGSIDE_CHECK_ACTION", action.name());
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

    async fn act(command: &str, action: Action) -> Result<Reply, Refusal> {
        Command::new(command, RunFailure::default()).act(&action).await
    }

    #[tokio::test]
    async fn a_command_gets_the_action_and_answers_by_exit_code() {
        let accept = || Action::Accept { path: "/a b/it's $HOME.txt".into() };
        let script = r#"test "$1" = accept -a "$2" = "/a b/it's \$HOME.txt" &&
            test "$2" = "$ALONGSIDE_CHECK_1"; exit $? #"#;
        let reply = act(&format!("f() {{ {}\n}}; f", script.trim_end_matches(" #")), accept()).await;
        assert_eq!(reply, Ok(Reply::Done));
        let shown = || Action::IsShown { path: "/a".into() };
        assert_eq!(act("false", shown()).await, Ok(Reply::No));
        let cannot = act("sh -c 'echo no such thing >&2; exit 3' --", accept()).await;
        assert_eq!(cannot, Err(Refusal::Cannot("no such thing".into())));
        let Err(Refusal::Failed(why)) = act("sh -c 'echo oh >&2; exit 7' --", accept()).await else {
            panic!("it failed")
        };
        assert!(why.contains("ended with 7: oh"), "{why}");
    }

    /// Returns a command that starts a child and waits for it, and the file with the child's PID.
    fn waiting_command(directory: &std::path::Path) -> (Command, std::path::PathBuf) {
        let pid_file = directory.join("pid");
        let command = format!("f() {{ sleep 600 & echo $! > '{}'; wait; }}; f", pid_file.display());
        (Command::new(&command, RunFailure::default()), pid_file)
    }

    /// Waits for the PID in a file.
    async fn wait_for_pid(pid_file: &std::path::Path) -> u32 {
        let read = async {
            loop {
                if let Some(pid) =
                    std::fs::read_to_string(pid_file).ok().and_then(|pid| pid.trim().parse().ok())
                {
                    return pid;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let pid = tokio::time::timeout(Duration::from_secs(30), read).await.ok();
        assert!(pid.is_some(), "the command starts");
        pid.unwrap_or_default()
    }

    async fn assert_ends(pid: u32) {
        let end = async {
            while process::is_alive(pid) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let ended = tokio::time::timeout(Duration::from_secs(30), end).await;
        assert!(ended.is_ok(), "the child of the command is ended");
    }

    #[tokio::test]
    async fn a_slow_command_is_ended_with_its_children() {
        let directory = tempfile::tempdir().unwrap();
        let (mut command, pid_file) = waiting_command(directory.path());
        command.timeout = Duration::from_secs(40);
        let exceed_timeout = async {
            let pid = wait_for_pid(&pid_file).await;
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(40)).await;
            tokio::time::resume();
            pid
        };
        let (reply, pid) = tokio::join!(command.act(&Action::New), exceed_timeout);
        assert_eq!(reply, Err(Refusal::Failed("it did not end within 40 s".into())));
        assert_ends(pid).await;
    }

    #[tokio::test]
    async fn an_interrupted_command_is_ended_with_its_children() {
        let directory = tempfile::tempdir().unwrap();
        let (command, pid_file) = waiting_command(directory.path());
        let pid = tokio::select! {
            reply = command.act(&Action::New) => panic!("it waits: {reply:?}"),
            pid = wait_for_pid(&pid_file) => pid,
        };
        assert_ends(pid).await;
    }

    #[tokio::test]
    async fn background_processes_of_a_command_keep_running() {
        let directory = tempfile::tempdir().unwrap();
        let pid_file = directory.path().join("pid");
        let command = format!("f() {{ sleep 600 2> /dev/null & echo $! > '{}'; }}; f", pid_file.display());
        assert_eq!(act(&command, Action::New).await, Ok(Reply::Done));
        let pid = wait_for_pid(&pid_file).await;
        assert!(process::is_alive(pid));
        process::send(pid, 9);
    }

    #[tokio::test]
    async fn a_missing_command_is_a_run_failure() {
        let failed = RunFailure::default();
        let action = || Action::Accept { path: "/a".into() };
        let _ = Command::new("sh -c 'exit 3' --", failed.clone()).act(&action()).await;
        assert_eq!(failed.reason(), None);
        let _ = Command::new("./no-such-driver", failed.clone()).act(&action()).await;
        failed.wait().await;
        assert!(failed.reason().is_some_and(|why| why.contains("no-such-driver")), "{:?}", failed.reason());
    }
}
