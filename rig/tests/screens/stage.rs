//! The stage of every test: a project with a file, `alongside` on a terminal, and texts for a proposal.

use std::path::PathBuf;
use std::time::Duration;

use alongside_rig::procfs::command_line;
use alongside_rig::proposer::{Proposal, Proposer};
use alongside_rig::screen::Terminal;
use alongside_rig::{Sandbox, Screen, agent_cli, alongside_bin, wait};
use anyhow::Result;

/// The desk ignores keys that come sooner than a person can read.
const READING: Duration = Duration::from_millis(600);

/// The silence after which a screen has settled: long enough for late colours.
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

    /// Starts `alongside` on a terminal of this kind.
    pub(crate) fn desk(&self, terminal: &Terminal) -> Result<Screen> {
        Screen::start(&self.sandbox, terminal, [alongside_bin()?])
    }

    /// A desk that shows that no agent is connected.
    pub(crate) fn idle_desk(&self, terminal: &Terminal) -> Result<Screen> {
        let desk = self.desk(terminal)?;
        desk.wait_for_text("No agent is connected yet.")?;
        Ok(desk)
    }

    /// An agent that has proposed [`proposed`] for the file.
    pub(crate) fn propose(&self) -> Result<(Proposer, Proposal)> {
        let agent = Proposer::gemini(&self.sandbox)?;
        let proposal = agent.propose(&self.file, &proposed())?;
        Ok((agent, proposal))
    }

    /// The stage with a desk on a terminal of this kind, and an agent that has proposed [`proposed`].
    pub(crate) fn with_proposal(terminal: &Terminal) -> Result<(Self, Screen, Proposer, Proposal)> {
        let stage = Self::new();
        let desk = stage.desk(terminal)?;
        let (agent, proposal) = stage.propose()?;
        Ok((stage, desk, agent, proposal))
    }

    /// A shell with job control, which knows `alongside`.
    pub(crate) fn shell(&self, terminal: &Terminal) -> Result<Screen> {
        let (path, value) = agent_cli::path_variable(&self.sandbox)?;
        let terminal = terminal.clone().with("PS1", "rig$ ").with(path, value);
        let shell = Screen::start(&self.sandbox, &terminal, ["bash", "--norc", "--noprofile", "-i"])?;
        shell.wait_for_text("rig$")?;
        Ok(shell)
    }

    /// Waits until no process of the sandbox runs.
    pub(crate) fn is_empty_within(&self, deadline: Duration) -> Result<()> {
        wait::until("the end of every process", deadline, || {
            let left = self.sandbox.processes();
            let name = |pid: &rustix::process::Pid| format!("{pid:?} {}", command_line(pid.as_raw_nonzero()));
            if left.is_empty() { Ok(()) } else { Err(left.iter().map(name).collect::<Vec<_>>().join("\n")) }
        })
    }
}

/// The original content of the file.
pub(crate) fn original() -> String {
    (1..=60).map(|number| format!("line {number}\n")).collect()
}

/// The proposal: three changes.
pub(crate) fn proposed() -> String {
    let text = original().replace("line 5\n", "line five\n").replace("line 30\n", "line thirty\n");
    text.replace("line 55\n", "line fifty-five\nand one more\n")
}

/// Waits until a text is shown, waits as long as a person reads, and presses keys.
pub(crate) fn read_and_press(screen: &Screen, text: &str, keys: &str) -> Result<()> {
    screen.wait_for_text(text)?;
    std::thread::sleep(READING);
    screen.press(keys)
}

/// The text of the settled screen.
pub(crate) fn settled(screen: &Screen) -> Result<String> {
    screen.wait_for_silence(STILL)?;
    screen.text()
}
