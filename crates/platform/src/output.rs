//! Standard output as a pipe: whether anybody still reads it. Windows does not tell before a write fails,
//! but it tells when the program ends that has this one run.

/// Waits until nobody can read standard output any more, as when the program that started this one has died.
/// Waits for good where the system does not tell, or if standard output is a terminal or a file.
pub async fn abandoned() {
    #[cfg(unix)]
    if tokio::task::spawn_blocking(wait).await.is_ok_and(|is_abandoned| is_abandoned) {
        return;
    }
    #[cfg(windows)]
    if let Some(caller) = crate::process::caller() {
        return crate::process::ended(caller).await;
    }
    std::future::pending().await
}

/// `poll` without events reports no lost reader on macOS.
#[cfg(target_os = "macos")]
fn wait() -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;

    let out = std::io::stdout();
    let Ok(file) = out.as_fd().try_clone_to_owned().map(std::fs::File::from) else { return false };
    let is_pipe = |kind: std::fs::FileType| kind.is_fifo() || kind.is_socket();
    file.metadata().is_ok_and(|found| is_pipe(found.file_type()))
        && crate::kernel_queue::wait_for_end_of_reading(&out)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn wait() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};

    let out = std::io::stdout();
    loop {
        // The flags for a lost reader come without being asked for.
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
