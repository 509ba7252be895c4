//! The signals that ask this program to end, so that it can end properly: with reviews rejected and files removed.

/// Listens for Ctrl-C, termination and a terminal that goes away.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Ctrl-C.
    pub(crate) const INTERRUPT: i32 = 2;
    /// A terminal that went away.
    pub(crate) const HANGUP: i32 = 1;
    /// The polite way to end a process.
    pub(crate) const TERMINATE: i32 = 15;

    /// Listens from now on; until then a signal ends the process at once.
    ///
    /// # Errors
    /// When the system does not let us listen.
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next signal's number. Cancel safe.
    pub(crate) async fn next(&mut self) -> i32 {
        tokio::select! {
            Some(()) = self.interrupt.recv() => Self::INTERRUPT,
            Some(()) = self.terminate.recv() => Self::TERMINATE,
            Some(()) = self.hangup.recv() => Self::HANGUP,
            else => std::future::pending().await,
        }
    }
}

/// Listens for Ctrl-C.
#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Ctrl-C.
    pub(crate) const INTERRUPT: i32 = 2;
    /// A terminal that went away.
    pub(crate) const HANGUP: i32 = 1;
    /// The polite way to end a process.
    pub(crate) const TERMINATE: i32 = 15;

    /// Listens from now on.
    ///
    /// # Errors
    /// Never here.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self)
    }

    /// The next signal's number. Cancel safe.
    pub(crate) async fn next(&mut self) -> i32 {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Self::INTERRUPT,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Listens for having been stopped and continued, as by Ctrl-Z and `fg`.
pub(crate) struct Continued(#[cfg(unix)] Option<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Continued {
    /// Listens from now on. Where the system does not let us, nothing is heard: it is a courtesy.
    pub(crate) fn listen() -> Self {
        let kind = tokio::signal::unix::SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
        Self(tokio::signal::unix::signal(kind).ok())
    }

    /// The next time. Cancel safe.
    pub(crate) async fn next(&mut self) {
        let heard = match &mut self.0 {
            Some(signal) => signal.recv().await,
            None => None,
        };
        if heard.is_none() {
            std::future::pending().await
        }
    }
}

#[cfg(not(unix))]
impl Continued {
    /// Never heard here.
    pub(crate) fn listen() -> Self {
        Self()
    }

    /// Never.
    pub(crate) async fn next(&mut self) {
        std::future::pending().await
    }
}

/// How often a process is looked at whose end is waited for, where the system does not tell.
#[cfg(unix)]
const LOOK_EVERY: std::time::Duration = std::time::Duration::from_secs(1);

/// Waits until a process has ended that is none of ours.
#[cfg(unix)]
pub(crate) async fn process_ends(pid: u32) {
    use rustix::process::test_kill_process;
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    #[cfg(target_os = "linux")]
    if let Some(pid) = pid
        && let Ok(process) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::NONBLOCK)
        && let Ok(process) = watched(process)
        && process.readable().await.is_ok()
    {
        return;
    }
    while pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH)) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// A descriptor that becomes readable when its process has ended.
#[cfg(target_os = "linux")]
#[expect(
    deprecated,
    reason = "its replacement is unsafe, for descriptors that are closed early; this one is owned"
)]
fn watched(process: std::os::fd::OwnedFd) -> std::io::Result<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>> {
    tokio::io::unix::AsyncFd::with_interest(process, tokio::io::Interest::READABLE)
}

/// Not known here: it counts as alive.
#[cfg(not(unix))]
pub(crate) async fn process_ends(_: u32) {
    std::future::pending().await
}

/// The exit code of a program that a signal ended.
pub(crate) fn exit_code(signal: i32) -> std::process::ExitCode {
    std::process::ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
}
