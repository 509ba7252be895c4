//! The parts that every test needs: a project with a file, `alongside` on a terminal, and the texts of a
//! proposal.

use std::path::PathBuf;
use std::time::Duration;

use alongside_rig::procfs::command_line;
use alongside_rig::proposer::{Proposal, Proposer};
use alongside_rig::screen::Terminal;
use alongside_rig::{Sandbox, Screen, agent_cli, alongside_bin, wait};
use anyhow::Result;

/// The time that a person takes to read. The desk ignores keys that come sooner.
const READING_TIME: Duration = Duration::from_millis(600);

/// The time without output after which a screen counts as complete. It is long enough for late colours.
const SILENCE: Duration = Duration::from_millis(700);

/// A project with a file.
pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    /// The path of `notes.txt`, which has sixty lines.
    pub(crate) file: PathBuf,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        Self { file: sandbox.write("notes.txt", original_text()), sandbox }
    }

    /// Starts `alongside` on a terminal of this kind.
    pub(crate) fn desk(&self, terminal: &Terminal) -> Result<Screen> {
        Screen::start(&self.sandbox, terminal, [alongside_bin()?])
    }

    /// Starts `alongside`, and waits until it shows that no agent is connected.
    pub(crate) fn idle_desk(&self, terminal: &Terminal) -> Result<Screen> {
        let desk = self.desk(terminal)?;
        desk.wait_for_text("No agent is connected yet.")?;
        Ok(desk)
    }

    /// Connects an agent, which proposes [`proposed_text`] for the file.
    pub(crate) fn propose(&self) -> Result<(Proposer, Proposal)> {
        let agent = Proposer::gemini(&self.sandbox)?;
        let proposal = agent.propose(&self.file, &proposed_text())?;
        Ok((agent, proposal))
    }

    /// Creates a stage, starts a desk on a terminal of this kind, and connects an agent, which proposes
    /// [`proposed_text`].
    pub(crate) fn with_proposal(terminal: &Terminal) -> Result<(Self, Screen, Proposer, Proposal)> {
        let stage = Self::new();
        let desk = stage.desk(terminal)?;
        let (agent, proposal) = stage.propose()?;
        Ok((stage, desk, agent, proposal))
    }

    /// Starts a shell with job control, which has `alongside` in its PATH.
    pub(crate) fn shell(&self, terminal: &Terminal) -> Result<Screen> {
        let (path, value) = agent_cli::path_variable(&self.sandbox)?;
        let terminal = terminal.clone().with("PS1", "rig$ ").with(path, value);
        let shell = Screen::start(&self.sandbox, &terminal, ["bash", "--norc", "--noprofile", "-i"])?;
        shell.wait_for_text("rig$")?;
        Ok(shell)
    }

    /// Waits until no process of the sandbox runs.
    pub(crate) fn wait_until_empty(&self, deadline: Duration) -> Result<()> {
        wait::until("the end of every process", deadline, || {
            let processes = self.sandbox.processes();
            let name = |pid: &rustix::process::Pid| format!("{pid:?} {}", command_line(pid.as_raw_nonzero()));
            if processes.is_empty() {
                Ok(())
            } else {
                Err(processes.iter().map(name).collect::<Vec<_>>().join("\n"))
            }
        })
    }
}

/// Returns the original content of the file.
pub(crate) fn original_text() -> String {
    (1..=60).map(|number| format!("line {number}\n")).collect()
}

/// Returns the proposed content, with three changes.
pub(crate) fn proposed_text() -> String {
    let text = original_text().replace("line 5\n", "line five\n").replace("line 30\n", "line thirty\n");
    text.replace("line 55\n", "line fifty-five\nand one more\n")
}

/// Waits until a text is shown, and for the time of reading it, and presses keys.
pub(crate) fn read_and_press(screen: &Screen, text: &str, keys: &str) -> Result<()> {
    screen.wait_for_text(text)?;
    std::thread::sleep(READING_TIME);
    screen.press(keys)
}

/// Waits until the program is silent, and returns the text of the screen.
pub(crate) fn text_after_silence(screen: &Screen) -> Result<String> {
    screen.wait_for_silence(SILENCE)?;
    screen.text()
}
