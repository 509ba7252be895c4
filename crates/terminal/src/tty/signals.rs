//! The signals that end or continue this process, so that the terminal is given back as it was.

use alongside_platform::signals::{self, Continued, INTERRUPT};

/// The meaning of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalKind {
    /// To end; the signal's number.
    End(i32),
    /// To end, as Ctrl-C does: while an editor has the terminal, it is meant for the editor.
    Interrupt,
    /// The process was stopped, and goes on.
    Continued,
}

/// Listens for signals.
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
    pub(crate) async fn next(&mut self) -> SignalKind {
        tokio::select! {
            // A closed window also continues the process: the end comes first.
            biased;
            signal = self.ending.next() => match signal {
                INTERRUPT => SignalKind::Interrupt,
                signal => SignalKind::End(signal),
            },
            () = self.continued.next() => SignalKind::Continued,
        }
    }

    /// The next one that asks for the end. Cancel safe.
    pub(crate) async fn end(&mut self) -> SignalKind {
        loop {
            match self.next().await {
                SignalKind::Continued => {}
                signal => return signal,
            }
        }
    }
}
