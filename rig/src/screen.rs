//! A terminal for one program: a test sends keys, mouse events and pastes, and reads the picture.
//!
//! The program leads a session on a real pty, so that Ctrl-Z, resizing and closing the window work as usual.
//! A terminal emulator reads the program's output, and nothing here depends on the program.
//!
//! rustix opens the pty and setsid(1) enters it: the terminal must be able to hang up, which needs a reader
//! that can stop, and must not type anything by itself.

pub mod key;
mod link;
mod picture;
mod terminal;

use std::fs::File;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};
use rustix::pty::OpenptFlags;
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::sandbox::Sandbox;
use crate::wait::{self, PATIENCE};
use link::Link;
pub use picture::frame;
use picture::text;
pub use terminal::{Answers, Terminal};

/// A terminal with its program. Dropping it kills the program's process group; processes outside the group
/// end with the sandbox.
#[derive(Debug)]
pub struct Screen {
    child: Child,
    /// The terminal's end of the pty; `None` after hanging up.
    link: Option<Link>,
    /// The program's end of the pty, kept so that its settings can be read after the program has ended.
    tty: File,
    /// The settings before the start of the program.
    original_settings: Termios,
}

/// The direction of the mouse wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wheel {
    /// Away from the person.
    Up,
    /// Towards the person.
    Down,
}

impl Screen {
    /// Starts a program, with its arguments, in the sandbox's project.
    pub fn start(
        sandbox: &Sandbox,
        terminal: &Terminal,
        words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
    ) -> Result<Self> {
        let terminal_end =
            rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
                .context("there is no pty")?;
        rustix::pty::grantpt(&terminal_end).and_then(|()| rustix::pty::unlockpt(&terminal_end))?;
        let name = rustix::pty::ptsname(&terminal_end, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let tty = File::from(rustix::fs::open(name, flags, Mode::empty())?);
        tcsetwinsize(&tty, size(terminal.columns, terminal.rows))?;
        let original_settings = tcgetattr(&tty)?;
        // Not `Sandbox::spawn`, which makes the child the leader of a group: setsid would then fork.
        let mut command = Command::new("setsid");
        command.env_clear().envs(sandbox.env()).envs(terminal.variables.iter().cloned());
        // SIGHUP gets its default effect again, in case that the tests were started by nohup(1).
        command.current_dir(sandbox.project()).args(["--ctty", "env", "--default-signal=HUP"]).args(words);
        let program_end = || tty.try_clone().map(Stdio::from);
        let child = command.stdin(program_end()?).stdout(program_end()?).stderr(program_end()?).spawn();
        let child = child.with_context(|| format!("{command:?} does not start"))?;
        let link = Some(Link::new(terminal_end.into(), terminal)?);
        Ok(Self { child, link, tty, original_settings })
    }

    /// Sends the bytes of a text, or of [`key`]s.
    pub fn press(&self, keys: &str) -> Result<()> {
        self.link()?.send(keys.as_bytes())
    }

    /// Pastes a text as terminals do: with a carriage return for each line ending, and bracketed if the
    /// program has enabled bracketed paste.
    pub fn paste(&self, text: &str) -> Result<()> {
        let text = text.replace('\n', "\r");
        match self.picture()?.bracketed_paste() {
            true => self.press(&format!("\x1b[200~{text}\x1b[201~")),
            false => self.press(&text),
        }
    }

    /// Clicks on a cell with the left button.
    ///
    /// # Errors
    ///
    /// Fails unless the program has enabled mouse events: a terminal would select text instead.
    pub fn click(&self, (row, column): (u16, u16)) -> Result<()> {
        self.mouse(0, (row, column), 'M')?;
        self.mouse(0, (row, column), 'm')
    }

    /// Turns the wheel by one notch over a cell.
    ///
    /// # Errors
    ///
    /// Fails unless the program has enabled mouse events: a terminal would scroll instead.
    pub fn wheel(&self, towards: Wheel, at: (u16, u16)) -> Result<()> {
        self.mouse(if towards == Wheel::Up { 64 } else { 65 }, at, 'M')
    }

    /// Gives the terminal's window the focus, or takes it away.
    ///
    /// # Errors
    ///
    /// Fails unless the program has enabled focus events.
    pub fn focus(&self, gained: bool) -> Result<()> {
        ensure!(self.link()?.has_enabled(terminal::FOCUS), "the program has not requested focus events");
        self.press(if gained { "\x1b[I" } else { "\x1b[O" })
    }

    /// Gives the window another size.
    pub fn resize(&self, columns: u16, rows: u16) -> Result<()> {
        self.link()?.resize(columns, rows);
        Ok(tcsetwinsize(&self.tty, size(columns, rows))?)
    }

    /// Closes the window: the program gets SIGHUP and can no longer read or write.
    pub fn hang_up(&mut self) {
        self.link = None;
    }

    /// Sends a signal to the program alone.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        Ok(rustix::process::kill_process(self.pid(), signal)?)
    }

    /// The program's process id.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// The text on the screen, without trailing whitespace.
    pub fn text(&self) -> Result<String> {
        Ok(text(&self.picture()?))
    }

    /// The present picture: text, colours, cursor and modes.
    pub fn picture(&self) -> Result<vt100::Screen> {
        Ok(self.link()?.picture())
    }

    /// The first position of a text: row and column of its first cell, from 0.
    pub fn position_of(&self, text: &str) -> Result<(u16, u16)> {
        let picture = self.picture()?;
        picture::position_of(&picture, text)
            .with_context(|| format!("{text:?} is not shown:\n{}", frame(&picture)))
    }

    /// The longest delay of a terminal's answer that the program may have seen.
    pub fn longest_answer_delay(&self) -> Result<Duration> {
        Ok(self.link()?.longest_answer_delay())
    }

    /// The number of bytes of the program's output that were read so far.
    pub fn received(&self) -> Result<u64> {
        Ok(self.link()?.received())
    }

    /// Returns the program's output so far.
    pub fn output(&self) -> Result<Vec<u8>> {
        Ok(self.link()?.output())
    }

    /// Returns a piece of the program's output, as it was read, with its time of arrival. Pieces are counted
    /// from 0; `None` if this one has not arrived.
    pub fn piece(&self, index: usize) -> Result<Option<(Instant, Vec<u8>)>> {
        Ok(self.link()?.piece(index))
    }

    /// Waits until `shown` accepts the screen's text, and returns the text.
    pub fn wait_for(&self, what: &str, shown: impl Fn(&str) -> bool) -> Result<String> {
        self.wait_for_picture(what, |picture| shown(&text(picture))).map(|picture| text(&picture))
    }

    /// Waits until a text is on the screen, and returns the whole text of the screen.
    pub fn wait_for_text(&self, text: &str) -> Result<String> {
        self.wait_for(&format!("{text:?}"), |screen| screen.contains(text))
    }

    /// Presses keys, and waits until a text is on the screen.
    pub fn press_and_see(&self, keys: &str, text: &str) -> Result<String> {
        self.press(keys)?;
        self.wait_for_text(text)
    }

    /// Waits until `shown` accepts the picture, including colours, cursor and modes.
    pub fn wait_for_picture(
        &self,
        what: &str,
        shown: impl Fn(&vt100::Screen) -> bool,
    ) -> Result<vt100::Screen> {
        let link = self.link()?;
        wait::until(what, PATIENCE, || {
            let picture = link.picture();
            if shown(&picture) { Ok(picture) } else { Err(frame(&picture)) }
        })
    }

    /// Waits until the program has written nothing for `silence`, counted from this call.
    pub fn wait_for_silence(&self, silence: Duration) -> Result<()> {
        let (link, started_at) = (self.link()?, Instant::now());
        let activity = || Err(format!("{} bytes, the last ones just now", link.received()));
        wait::until("the program to fall silent", PATIENCE + silence, || {
            if link.silent_for().min(started_at.elapsed()) >= silence { Ok(()) } else { activity() }
        })
    }

    /// Waits until the program has ended and its whole output is on the screen.
    pub fn wait_for_exit(&mut self) -> Result<ExitStatus> {
        let Self { child, link, .. } = self;
        let status = wait::until("the program to end", PATIENCE, || {
            let status = child.try_wait().map_err(|error| error.to_string())?;
            let screen =
                || link.as_ref().map_or_else(|| "(hung up)".to_owned(), |link| frame(&link.picture()));
            status.ok_or_else(screen)
        })?;
        if let Some(link) = link {
            link.drain()?;
        }
        Ok(status)
    }

    /// Returns the changes of the terminal's state that the program has not undone. A clean exit leaves none.
    pub fn unrestored_state(&self) -> Result<Vec<String>> {
        let mut left = self.link()?.unrestored_state();
        // `Termios` has no equality, but its debug output is complete.
        let (before, now) = (format!("{:?}", self.original_settings), format!("{:?}", tcgetattr(&self.tty)?));
        if before != now {
            left.push(format!("terminal settings: {now} instead of {before}"));
        }
        Ok(left)
    }

    fn mouse(&self, button: u8, (row, column): (u16, u16), end: char) -> Result<()> {
        let picture = self.picture()?;
        let is_enabled = picture.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
        ensure!(is_enabled, "the program has not requested the mouse:\n{}", frame(&picture));
        let sgr = picture.mouse_protocol_encoding() == vt100::MouseProtocolEncoding::Sgr;
        ensure!(sgr, "the program's mouse encoding breaks beyond column 223");
        self.press(&format!("\x1b[<{button};{};{}{end}", column + 1, row + 1))
    }

    fn link(&self) -> Result<&Link> {
        self.link.as_ref().context("the terminal has hung up")
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The program leads a group because of setsid. Fails if the group has ended.
        let _ = rustix::process::kill_process_group(self.pid(), Signal::KILL);
        let _ = self.child.wait();
    }
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 }
}
