//! Standard output as a pipe: whether anybody still reads it. Windows does not tell before a write fails.

/// Waits until nobody can read standard output any more, as when the program that started this one has died.
/// Waits for good where the system does not tell, or if standard output is a terminal or a file.
pub async fn abandoned() {
    #[cfg(unix)]
    if tokio::task::spawn_blocking(wait).await.is_ok_and(|is_abandoned| is_abandoned) {
        return;
    }
    std::future::pending().await
}

#[cfg(unix)]
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
