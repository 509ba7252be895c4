//! The signals that end or continue this process, so that the terminal is given back as it was.

/// The number of the signal that a terminal sends when it goes away.
pub(crate) const HANGUP: i32 = 1;

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
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    go_on: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// When the system does not let us.
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            go_on: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
        })
    }

    /// The next one. Cancel safe.
    pub(crate) async fn next(&mut self) -> Asked {
        tokio::select! {
            // A closed window also lets the process go on, which is no reason to draw on it.
            biased;
            Some(()) = self.interrupt.recv() => Asked::Interrupt,
            Some(()) = self.terminate.recv() => Asked::End(15),
            Some(()) = self.hangup.recv() => Asked::End(HANGUP),
            Some(()) = self.go_on.recv() => Asked::GoOn,
            else => std::future::pending().await,
        }
    }
}

/// Listens to Ctrl-C.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// Never here.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self)
    }

    /// The next one. Cancel safe.
    pub(crate) async fn next(&mut self) -> Asked {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Asked::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Signals {
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
