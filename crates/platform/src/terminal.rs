//! The terminal of this process, beyond what drawing on it takes. On Windows there is nothing to be done for
//! most of it: consoles keep no modes behind a program's back, and jobs are not stopped.

use std::fs::File;

use crate::Os;

/// Throws away what was typed and not read yet: it was meant for what was on the screen before.
pub fn discard_typed() {
    // A pipe has nothing typed in it.
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// How many columns the terminal of the output has, if it is one that says so.
pub fn columns() -> Option<u16> {
    #[cfg(unix)]
    return rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| size.ws_col);
    #[cfg(not(unix))]
    None
}

/// The same for the terminal that errors are written to.
pub fn columns_for_errors() -> Option<u16> {
    #[cfg(unix)]
    return rustix::termios::tcgetwinsize(std::io::stderr()).ok().map(|size| size.ws_col);
    #[cfg(not(unix))]
    None
}

/// The keyboard, also where the input of this process is something else.
///
/// # Errors
/// When there is no terminal.
pub fn keyboard() -> std::io::Result<File> {
    File::open(keyboard_of(Os::HERE))
}

const fn keyboard_of(os: Os) -> &'static str {
    match os {
        Os::Linux | Os::MacOs => "/dev/tty",
        Os::Windows => "CONIN$",
    }
}

/// How the terminal of the input is set up, so that it can be made so again after a program that died in it.
#[derive(Debug)]
pub struct Modes(#[cfg(unix)] rustix::termios::Termios);

impl Modes {
    /// As they are now. `None` where there is no terminal, or nothing has to be kept.
    pub fn save() -> Option<Self> {
        #[cfg(unix)]
        return rustix::termios::tcgetattr(std::io::stdin()).ok().map(Self);
        #[cfg(not(unix))]
        None
    }

    /// Makes them so again, once what was written has been shown.
    pub fn restore(&self) {
        // A terminal that is gone needs no modes.
        #[cfg(unix)]
        let _ =
            rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Drain, &self.0);
    }
}

/// Stops this process and its job, as Ctrl-Z does, and whether that can be done here. Where nobody could
/// continue it, nothing happens.
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
    fn the_keyboard_is_a_file_that_every_system_names() {
        assert_eq!(Os::ALL.map(keyboard_of), ["/dev/tty", "/dev/tty", "CONIN$"]);
    }
}
