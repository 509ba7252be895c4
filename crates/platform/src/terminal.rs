//! The terminal of this process, except for drawing. Most functions have no effect on Windows: the end of a
//! program resets console modes, and jobs cannot be stopped.

use std::fs::File;

use crate::Os;

/// Discards unread keys, because the person typed them for the previous screen.
pub fn discard_typed() {
    // The call fails for a pipe.
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// Returns the columns of the terminal at standard output, if there is one.
pub fn columns() -> Option<u16> {
    #[cfg(unix)]
    return rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| size.ws_col);
    #[cfg(not(unix))]
    None
}

/// Returns the rows of the terminal at standard output, if there is one.
pub fn rows() -> Option<u16> {
    #[cfg(unix)]
    return rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| size.ws_row);
    #[cfg(not(unix))]
    None
}

/// Returns the columns of the terminal at standard error, if there is one.
pub fn columns_for_errors() -> Option<u16> {
    #[cfg(unix)]
    return rustix::termios::tcgetwinsize(std::io::stderr()).ok().map(|size| size.ws_col);
    #[cfg(not(unix))]
    None
}

/// Opens the keyboard, even if standard input is not a terminal.
///
/// # Errors
/// If there is no terminal.
pub fn keyboard() -> std::io::Result<File> {
    File::open(keyboard_of(Os::HERE))
}

const fn keyboard_of(os: Os) -> &'static str {
    match os {
        Os::Linux | Os::MacOs => "/dev/tty",
        Os::Windows => "CONIN$",
    }
}

/// The modes of the terminal at standard input, to restore them after a program has crashed in it.
#[derive(Debug)]
pub struct Modes(#[cfg(unix)] rustix::termios::Termios);

impl Modes {
    /// Returns the current modes. `None` without a terminal, and on Windows.
    pub fn save() -> Option<Self> {
        #[cfg(unix)]
        return rustix::termios::tcgetattr(std::io::stdin()).ok().map(Self);
        #[cfg(not(unix))]
        None
    }

    /// Restores the modes once all output is shown.
    pub fn restore(&self) {
        // The call fails if the terminal is closed.
        #[cfg(unix)]
        let _ =
            rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Drain, &self.0);
    }
}

/// A key that ends a line of the terminal at standard input like Enter, until this value is dropped. A
/// program receives the key at once, with the text before it.
#[derive(Debug)]
pub struct LineEndKey {
    #[cfg(unix)]
    key: u8,
    #[cfg(unix)]
    before: u8,
}

impl LineEndKey {
    /// Sets the key. `None` without a terminal, and on Windows.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there is no such key"))]
    pub fn set(key: u8) -> Option<Self> {
        #[cfg(unix)]
        return {
            let before = change_line_end(|_| key)?;
            Some(Self { key, before })
        };
        #[cfg(not(unix))]
        None
    }

    /// Sets the key again, after a shell may have changed the modes of the terminal.
    pub fn set_again(&self) {
        #[cfg(unix)]
        change_line_end(|_| self.key);
    }
}

#[cfg(unix)]
impl Drop for LineEndKey {
    fn drop(&mut self) {
        // Another program may have changed it meanwhile.
        change_line_end(|now| if now == self.key { self.before } else { now });
    }
}

/// Changes the additional character that ends a line (VEOL), and returns the previous one.
#[cfg(unix)]
fn change_line_end(change: impl FnOnce(u8) -> u8) -> Option<u8> {
    use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
    let mut modes = tcgetattr(std::io::stdin()).ok()?;
    let before = modes.special_codes[SpecialCodeIndex::VEOL];
    modes.special_codes[SpecialCodeIndex::VEOL] = change(before);
    tcsetattr(std::io::stdin(), OptionalActions::Now, &modes).ok()?;
    Some(before)
}

/// Stops this process and its job, like Ctrl-Z. Returns false if that fails, or no shell could continue the
/// job.
pub fn stop_job() -> bool {
    #[cfg(unix)]
    return rustix::process::kill_current_process_group(rustix::process::Signal::TSTP).is_ok();
    #[cfg(not(unix))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_names_its_keyboard() {
        assert_eq!(Os::ALL.map(keyboard_of), ["/dev/tty", "/dev/tty", "CONIN$"]);
    }
}
