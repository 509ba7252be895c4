//! Signals that end this process, and its continuation. On Windows: a closed console and a logoff.

use std::io;

/// The signal for a closed terminal.
pub const HANGUP: i32 = 1;
/// The signal for Ctrl-C.
pub const INTERRUPT: i32 = 2;
/// The signal that requests the end.
pub const TERMINATE: i32 = 15;

/// A listener for signals that request the end.
#[derive(Debug)]
pub struct Signals(imp::Signals);

impl Signals {
    /// Starts to listen. Before that, a signal ends the process at once. Needs a Tokio runtime.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen() -> io::Result<Self> {
        imp::Signals::listen().map(Self)
    }

    /// Waits for the next signal and returns its number: [`HANGUP`], [`INTERRUPT`] or [`TERMINATE`]. Cancel
    /// safe.
    pub async fn next(&mut self) -> i32 {
        self.0.next().await
    }
}

/// A listener for the continuation after a stop, as by Ctrl-Z and `fg`. Windows has no continuations.
#[derive(Debug)]
pub struct Continued(imp::Continued);

impl Continued {
    /// Starts to listen. If the system refuses, reports no continuation. Needs a Tokio runtime.
    pub fn listen() -> Self {
        Self(imp::Continued::listen())
    }

    /// Waits for the next continuation. Cancel safe.
    pub async fn next(&mut self) {
        self.0.next().await;
    }
}

#[cfg(unix)]
mod imp {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    #[derive(Debug)]
    pub(super) struct Signals {
        interrupt: Signal,
        terminate: Signal,
        hangup: Signal,
    }

    impl Signals {
        pub(super) fn listen() -> std::io::Result<Self> {
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hangup: signal(SignalKind::hangup())?,
            })
        }

        pub(super) async fn next(&mut self) -> i32 {
            tokio::select! {
                Some(()) = self.interrupt.recv() => super::INTERRUPT,
                Some(()) = self.terminate.recv() => super::TERMINATE,
                Some(()) = self.hangup.recv() => super::HANGUP,
                else => std::future::pending().await,
            }
        }
    }

    #[derive(Debug)]
    pub(super) struct Continued(Option<Signal>);

    impl Continued {
        pub(super) fn listen() -> Self {
            Self(signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw())).ok())
        }

        pub(super) async fn next(&mut self) {
            let heard = match &mut self.0 {
                Some(signal) => signal.recv().await,
                None => None,
            };
            if heard.is_none() {
                std::future::pending().await
            }
        }
    }
}

#[cfg(windows)]
mod imp {
    use tokio::signal::windows::{
        CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_logoff,
        ctrl_shutdown,
    };

    #[derive(Debug)]
    pub(super) struct Signals {
        interrupt: CtrlC,
        terminate: CtrlBreak,
        close: CtrlClose,
        logoff: CtrlLogoff,
        shutdown: CtrlShutdown,
    }

    impl Signals {
        pub(super) fn listen() -> std::io::Result<Self> {
            Ok(Self {
                interrupt: ctrl_c()?,
                terminate: ctrl_break()?,
                close: ctrl_close()?,
                logoff: ctrl_logoff()?,
                shutdown: ctrl_shutdown()?,
            })
        }

        pub(super) async fn next(&mut self) -> i32 {
            tokio::select! {
                Some(()) = self.interrupt.recv() => super::INTERRUPT,
                Some(()) = self.terminate.recv() => super::TERMINATE,
                Some(()) = self.close.recv() => super::HANGUP,
                Some(()) = self.logoff.recv() => super::TERMINATE,
                Some(()) = self.shutdown.recv() => super::TERMINATE,
                else => std::future::pending().await,
            }
        }
    }

    #[derive(Debug)]
    pub(super) struct Continued;

    impl Continued {
        pub(super) fn listen() -> Self {
            Self
        }

        pub(super) async fn next(&mut self) {
            std::future::pending().await
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::time::Duration;

    use rustix::process::{Signal, getpid, kill_process};

    use super::*;

    /// This is one test, because a signal reaches all listeners of the process.
    #[tokio::test]
    async fn ending_and_continuing_signals_arrive() {
        let mut ending = Signals::listen().unwrap();
        let mut continued = Continued::listen();
        let send = |signal| kill_process(getpid(), signal).unwrap();
        let soon = Duration::from_secs(10);
        for (signal, number) in [(Signal::INT, INTERRUPT), (Signal::TERM, TERMINATE), (Signal::HUP, HANGUP)] {
            send(signal);
            let heard = tokio::time::timeout(soon, ending.next()).await.expect("a signal within ten seconds");
            assert_eq!(heard, number);
            assert_eq!(signal.as_raw(), number);
        }
        send(Signal::CONT);
        tokio::time::timeout(soon, continued.next()).await.expect("a continuation within ten seconds");
    }
}
