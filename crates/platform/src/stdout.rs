//! Standard output as a pipe: whether it still has a reader. Windows reports a lost reader only when a write
//! fails. There the end of the caller counts: the program that has started this one.

/// Waits until standard output has no reader, for example because the parent has died. Never returns if the
/// system cannot report that, or if standard output is a terminal or a file.
pub async fn reader_gone() {
    #[cfg(unix)]
    if tokio::task::spawn_blocking(wait_for_reader_loss).await.is_ok_and(|is_gone| is_gone) {
        return;
    }
    #[cfg(windows)]
    if let Some(caller) = crate::process::caller() {
        return crate::process::ended(caller).await;
    }
    std::future::pending().await
}

/// Blocks until standard output has no reader. Returns false if the system cannot report that. On macOS,
/// `poll` without events does not report it.
#[cfg(target_os = "macos")]
fn wait_for_reader_loss() -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;

    let out = std::io::stdout();
    let Ok(file) = out.as_fd().try_clone_to_owned().map(std::fs::File::from) else { return false };
    let is_pipe = |kind: std::fs::FileType| kind.is_fifo() || kind.is_socket();
    file.metadata().is_ok_and(|found| is_pipe(found.file_type()))
        && crate::kernel_queue::wait_for_reader_loss(&out)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn wait_for_reader_loss() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};

    let out = std::io::stdout();
    loop {
        // `poll` always reports ERR and HUP.
        let mut watched = [PollFd::new(&out, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => {
                let [watched] = watched;
                return watched.revents().intersects(PollFlags::ERR | PollFlags::HUP);
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}
