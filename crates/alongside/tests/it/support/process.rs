//! Programs that a test runs to their end, or starts with pipes or a terminal to the test.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::DEADLINE;

/// The exit status and the output of a program.
#[derive(Debug)]
pub(crate) struct CommandResult {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl CommandResult {
    /// Returns the standard output, followed by the standard error.
    pub(crate) fn all_output(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// Parses the standard output of a command with `--json`.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.all_output()))
    }
}

/// Runs a command to its end, with an empty standard input.
pub(crate) fn finish(mut command: impl std::borrow::BorrowMut<Command>) -> CommandResult {
    let command = command.borrow_mut();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Group(command.group().spawn().unwrap());
    let (out, err) = (drain(child.0.stdout.take().unwrap()), drain(child.0.stderr.take().unwrap()));
    let status = child.wait(&out);
    // A pipe ends when the last process that holds its other end has ended.
    let until = Instant::now() + DEADLINE;
    while Instant::now() < until && !(out.ended() && err.ended()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    CommandResult { status, out: out.text(), err: err.text() }
}

/// The bytes of an output stream so far, and whether the stream has ended.
#[derive(Clone, Default)]
pub(crate) struct Captured(Arc<Mutex<(Vec<u8>, bool)>>);

impl Captured {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap().0).into_owned()
    }

    fn ended(&self) -> bool {
        self.0.lock().unwrap().1
    }
}

/// Starts a thread that reads a stream to its end.
fn drain(mut from: impl Read + Send + 'static) -> Captured {
    let written = Captured::default();
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
    /// Starts the program in a new process group, which [`Group`] kills at the end of the test.
    fn group(&mut self) -> &mut Self {
        std::os::unix::process::CommandExt::process_group(self, 0)
    }
}

/// A process that leads its group. Dropping it kills the group.
struct Group(Child);

impl Group {
    /// Waits for the end of the process. A failure shows the output so far.
    fn wait(&mut self, seen: &Captured) -> ExitStatus {
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
        if let Some(pid) = Pid::from_raw(self.0.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// A running program and its output.
pub(crate) struct Running {
    process: Group,
    input: Option<Box<dyn Write + Send>>,
    pub(crate) out: Captured,
    pub(crate) err: Captured,
    /// The number of bytes of the output that `shows` has consumed.
    read: usize,
}

impl Running {
    pub(super) fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).group();
        let mut child = command.spawn().unwrap();
        let (out, err) = (drain(child.stdout.take().unwrap()), drain(child.stderr.take().unwrap()));
        let input = child.stdin.take().map(|input| Box::new(input) as _);
        Self { input, process: Group(child), out, err, read: 0 }
    }

    /// Starts a program whose standard streams are a new pseudo-terminal.
    pub(crate) fn at_terminal(command: &mut Command) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).and_then(|()| unlockpt(&ours)).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = std::fs::File::options().read(true).write(true).open(name).unwrap();
        let theirs = || Stdio::from(theirs.try_clone().unwrap());
        command.stdin(theirs()).stdout(theirs()).stderr(theirs());
        // setsid makes the program the leader of a new group.
        let child = command.spawn().unwrap();
        let ours = std::fs::File::from(ours);
        let (out, err) = (drain(ours.try_clone().unwrap()), Captured::default());
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

    /// Waits for a question, and then as long as a person takes to read it: line mode ignores answers that
    /// come too soon.
    pub(crate) async fn reads(&mut self, question: &str) -> String {
        let seen = self.shows(question).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        seen
    }

    /// Closes the standard input.
    pub(crate) fn ends_input(&mut self) {
        self.input = None;
    }

    /// Waits for a text in the output after the previous one, and returns the output between them with that
    /// text.
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

    /// Types a line and waits for a text after it.
    pub(crate) async fn types_and_shows(&mut self, line: &str, text: &str) -> String {
        self.types(line);
        self.shows(text).await
    }

    /// Presses keys and waits for a text after them.
    pub(crate) async fn presses_and_shows(&mut self, keys: &str, text: &str) -> String {
        self.presses(keys);
        self.shows(text).await
    }

    /// Waits for a question and types the answer.
    pub(crate) async fn answers(&mut self, question: &str, answer: &str) -> String {
        let seen = self.shows(question).await;
        self.types(answer);
        seen
    }

    /// Answers the next questions of line mode one after the other, and returns the output up to the last
    /// question.
    pub(crate) async fn answers_all(&mut self, answers: &[&str]) -> String {
        let mut seen = String::new();
        for answer in answers {
            seen += &self.answers("]? ", answer).await;
        }
        seen
    }

    /// Answers the next questions of line mode one after the other, and waits for a text after the last
    /// answer.
    pub(crate) async fn answers_all_and_shows(&mut self, answers: &[&str], text: &str) -> String {
        self.answers_all(answers).await;
        self.shows(text).await
    }

    /// Waits for a question, types the answer, and waits for a text after it.
    pub(crate) async fn answers_and_shows(&mut self, question: &str, answer: &str, text: &str) -> String {
        self.answers(question, answer).await;
        self.shows(text).await
    }

    /// Returns all output up to the text that was awaited last.
    pub(crate) fn so_far(&self) -> String {
        self.out.text()[..self.read].to_owned()
    }

    /// Sends a signal, as [`super::send`] does.
    pub(crate) fn signal(&self, signal: Signal) {
        super::send(self.pid(), signal);
    }

    /// Leaves line mode and asserts that it succeeds.
    pub(crate) fn leaves(&mut self) {
        self.types("q");
        assert_eq!(self.ends().code(), Some(0));
    }

    /// Waits for the end of the program and returns its exit status.
    pub(crate) fn ends(&mut self) -> ExitStatus {
        self.process.wait(&self.out)
    }
}
