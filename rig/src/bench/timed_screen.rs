//! A terminal whose output has times: the time at which a text is shown is that of the piece of output that
//! completes it, whenever this thread looks.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::plan::PATIENCE;
use super::sides::require;
use crate::sandbox::Sandbox;
use crate::screen::{Screen, Terminal, frame};
use crate::tmux::SHELL_PROMPT;

/// The size of every terminal here.
const COLUMNS: NonZeroU16 = NonZeroU16::new(120).unwrap();
const ROWS: NonZeroU16 = NonZeroU16::new(50).unwrap();

/// A terminal with its program.
pub(super) struct TimedScreen {
    screen: Screen,
    picture: vt100::Parser,
    /// The number of pieces of output that are in the picture.
    drawn: usize,
    /// The time at which the last of these arrived.
    drawn_at: Instant,
}

impl TimedScreen {
    /// Starts a program with these variables in the sandbox's project.
    pub(super) fn start(
        sandbox: &Sandbox,
        variables: impl IntoIterator<Item = (String, OsString)>,
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<Self> {
        let terminal = Terminal::new(COLUMNS.get(), ROWS.get());
        let terminal =
            variables.into_iter().fold(terminal, |terminal, (name, value)| terminal.with(name, value));
        let screen = Screen::start(sandbox, &terminal, words)?;
        Ok(Self { screen, picture: vt100::Parser::new(ROWS, COLUMNS, 0), drawn: 0, drawn_at: Instant::now() })
    }

    /// Starts a shell in tmux, and waits for its prompt.
    pub(super) fn in_tmux(
        sandbox: &Sandbox,
        variables: impl IntoIterator<Item = (String, OsString)>,
    ) -> Result<Self> {
        require("tmux")?;
        let mut words: Vec<OsString> = ["tmux", "-u", "-f", "/dev/null", "-S"].map(OsString::from).to_vec();
        words.push(sandbox.run().join("tmux.sock").into());
        let shell = format!("PS1='{SHELL_PROMPT} ' exec bash --norc --noprofile");
        // The clock of the status line would draw by itself.
        words.extend(["new-session", &shell, ";", "set-option", "-g", "status", "off"].map(OsString::from));
        let mut screen = Self::start(sandbox, variables, words)?;
        screen.wait_for_shell()?;
        Ok(screen)
    }

    /// Presses keys. Returns the time at which that began.
    pub(super) fn press(&self, keys: &str) -> Result<Instant> {
        let pressed_at = Instant::now();
        self.screen.press(keys)?;
        Ok(pressed_at)
    }

    /// Types a command, waits until it is shown, and presses Enter. Returns the time of Enter.
    pub(super) fn enter(&mut self, command: &str) -> Result<Instant> {
        self.press(command)?;
        self.wait_for("the command", |text| text.ends_with(command))?;
        self.press("\r")
    }

    /// Waits until `is_shown` accepts the text of the screen. Returns the time at which that text was shown.
    pub(super) fn wait_for(&mut self, what: &str, is_shown: impl Fn(&str) -> bool) -> Result<Instant> {
        self.wait_for_picture(what, |picture| is_shown(&text_of(picture)))
    }

    /// As [`wait_for`](Self::wait_for), for the whole picture with its colours.
    pub(super) fn wait_for_picture(
        &mut self,
        what: &str,
        is_shown: impl Fn(&vt100::Screen) -> bool,
    ) -> Result<Instant> {
        let until = Instant::now() + PATIENCE;
        while !is_shown(self.picture.screen()) {
            ensure!(Instant::now() < until, "{what} is not shown:\n{}", frame(self.picture.screen()));
            if !self.draw_next_piece()? {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(self.drawn_at)
    }

    /// Draws the next piece of output. Returns whether one had arrived.
    fn draw_next_piece(&mut self) -> Result<bool> {
        let Some((arrived_at, piece)) = self.screen.piece(self.drawn)? else { return Ok(false) };
        self.picture.process(&piece);
        self.drawn += 1;
        self.drawn_at = arrived_at;
        Ok(true)
    }

    /// Waits until the shell asks for a command.
    pub(super) fn wait_for_shell(&mut self) -> Result<()> {
        self.wait_for("the prompt of the shell", |text| text.ends_with(SHELL_PROMPT)).map(drop)
    }

    /// Returns the text of the screen as far as it was waited for, without whitespace at its end.
    pub(super) fn text(&self) -> String {
        text_of(self.picture.screen())
    }

    /// Asks the program to end, and waits for its end.
    pub(super) fn end(self) -> Result<()> {
        self.screen.signal(rustix::process::Signal::TERM)?;
        self.wait_for_end()
    }

    /// Waits until the program has ended.
    pub(super) fn wait_for_end(mut self) -> Result<()> {
        self.screen.wait_for_exit().context("the program does not end").map(drop)
    }
}

fn text_of(picture: &vt100::Screen) -> String {
    picture.contents().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_time_at_which_it_was_shown() -> Result<()> {
        let sandbox = Sandbox::new();
        let words = ["sh", "-c", "printf one; read line; printf two; read line"].map(OsString::from);
        let mut screen = TimedScreen::start(&sandbox, [], words)?;
        let one_at = screen.wait_for("the first text", |text| text.ends_with("one"))?;
        let pressed_at = screen.press("\r")?;
        screen.screen.wait_for_text("two")?;
        let looked_at = Instant::now();
        let two_at = screen.wait_for("the second text", |text| text.ends_with("two"))?;
        assert!(one_at < pressed_at && pressed_at < two_at && two_at < looked_at);
        Ok(())
    }
}
