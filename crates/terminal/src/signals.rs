//! The signals that end or continue this process, so that the terminal is given back as it was.

use alongside_platform::signals::{self, Continued, INTERRUPT};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// To end; the signal's number.
    End(i32),
    /// To end, as Ctrl-C does: not meant for us while an editor has the terminal.
    Interrupt,
    /// The process was stopped, and goes on.
    GoOn,
}

/// Listens to them.
#[derive(Debug)]
pub(crate) struct Signals {
    ending: signals::Signals,
    continued: Continued,
}

impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// When the system does not let us.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self { ending: signals::Signals::listen()?, continued: Continued::listen() })
    }

    /// The next one. Cancel safe.
    pub(crate) async fn next(&mut self) -> Asked {
        tokio::select! {
            // A closed window also lets the process go on, which is no reason to draw on it.
            biased;
            signal = self.ending.next() => if signal == INTERRUPT { Asked::Interrupt } else { Asked::End(signal) },
            () = self.continued.next() => Asked::GoOn,
        }
    }

    /// The next one that asks for the end. Cancel safe.
    pub(crate) async fn end(&mut self) -> Asked {
        loop {
            match self.next().await {
                Asked::GoOn => {}
                asked => return asked,
            }
        }
    }
}
