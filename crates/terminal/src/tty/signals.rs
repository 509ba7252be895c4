//! The signals that end or continue this process. The desk handles them, so that it can restore the terminal.

use alongside_platform::signals::{self, Continued, INTERRUPT};

/// The meaning of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalKind {
    /// The process has to end. The number is the signal's.
    End(i32),
    /// The process has to end, as after Ctrl-C. While an editor has the terminal, the signal is meant for the
    /// editor.
    Interrupt,
    /// The process was stopped, and continues.
    Continued,
}

/// The stream of signals.
#[derive(Debug)]
pub(crate) struct Signals {
    ending: signals::Signals,
    continued: Continued,
}

impl Signals {
    /// Starts to listen.
    ///
    /// # Errors
    /// If the system allows no handlers.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self { ending: signals::Signals::listen()?, continued: Continued::listen() })
    }

    /// Waits for the next signal. Cancel safe.
    pub(crate) async fn next(&mut self) -> SignalKind {
        tokio::select! {
            // A closed window sends both SIGHUP and SIGCONT, and the end has priority.
            biased;
            signal = self.ending.next() => match signal {
                INTERRUPT => SignalKind::Interrupt,
                signal => SignalKind::End(signal),
            },
            () = self.continued.next() => SignalKind::Continued,
        }
    }

    /// Waits for the next signal that ends the process. Cancel safe.
    pub(crate) async fn end(&mut self) -> SignalKind {
        loop {
            match self.next().await {
                SignalKind::Continued => {}
                signal => return signal,
            }
        }
    }
}
