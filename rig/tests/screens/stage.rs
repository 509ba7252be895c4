//! What every test of the desk needs: a project with a file, `alongside` on a terminal, and an agent with a
//! proposal.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_rig::screen::Terminal;
use alongside_rig::{Sandbox, Screen, alongside_bin, cli, wait};
use anyhow::Result;

/// The desk distrusts keys that come sooner than a person can have read what they mean.
const READING: Duration = Duration::from_millis(600);

/// What stands at the end of a settled screen: time enough for colours that come late.
const STILL: Duration = Duration::from_millis(700);

pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    /// `notes.txt`, with sixty lines.
    pub(crate) file: PathBuf,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        Self { file: sandbox.write("notes.txt", original()), sandbox }
    }

    /// Types `alongside` into a terminal of this kind.
    pub(crate) fn desk(&self, terminal: &Terminal) -> Result<Screen> {
        self.alongside(terminal, &[])
    }

    /// The same with arguments.
    pub(crate) fn alongside(&self, terminal: &Terminal, arguments: &[&str]) -> Result<Screen> {
        let program = alongside_bin()?;
        let words = arguments.iter().map(Path::new);
        Screen::start(&self.sandbox, terminal, [program.as_path()].into_iter().chain(words))
    }

    /// A shell with job control, which knows `alongside`.
    pub(crate) fn shell(&self, terminal: &Terminal) -> Result<Screen> {
        let (path, value) = cli::path_variable(&self.sandbox)?;
        let terminal = terminal.clone().with("PS1", "rig$ ").with(path, value);
        let shell = Screen::start(&self.sandbox, &terminal, ["bash", "--norc", "--noprofile", "-i"])?;
        shell.shows("rig$")?;
        Ok(shell)
    }

    /// Waits until nothing that was started here runs any more.
    pub(crate) fn is_empty_within(&self, deadline: Duration) -> Result<()> {
        wait::until("the end of every process", deadline, || {
            let left = self.sandbox.processes();
            let name = |pid: &rustix::process::Pid| {
                let words =
                    std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
                format!("{pid:?} {}", String::from_utf8_lossy(&words).replace('\0', " "))
            };
            if left.is_empty() { Ok(()) } else { Err(left.iter().map(name).collect::<Vec<_>>().join("\n")) }
        })
    }
}

/// What the file holds before.
pub(crate) fn original() -> String {
    (1..=60).map(|number| format!("line {number}\n")).collect()
}

/// The proposal: three changes.
pub(crate) fn proposed() -> String {
    let text = original().replace("line 5\n", "line five\n").replace("line 30\n", "line thirty\n");
    text.replace("line 55\n", "line fifty-five\nand one more\n")
}

/// Waits until a text is shown, reads it as a person does, and presses keys.
pub(crate) fn read_and_press(screen: &Screen, text: &str, keys: &str) -> Result<()> {
    screen.shows(text)?;
    std::thread::sleep(READING);
    screen.press(keys)
}

/// What is shown once nothing more comes.
pub(crate) fn settled(screen: &Screen) -> Result<String> {
    screen.settle(STILL)?;
    screen.text()
}
