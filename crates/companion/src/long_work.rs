//! Work on large messages, which takes milliseconds: meanwhile another thread serves everybody else.

use tokio::runtime::{Handle, RuntimeFlavor};

/// The most bytes on which work is done on the calling thread: another thread would take longer to wake.
pub(crate) const MAX_LITTLE: usize = 64 << 10;

/// Does work on so many bytes. If they are many, another thread takes over this one's tasks first, in a
/// runtime that can do so.
pub(crate) fn work_on<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let is_long = bytes > MAX_LITTLE;
    let hands_over =
        || Handle::try_current().is_ok_and(|now| now.runtime_flavor() == RuntimeFlavor::MultiThread);
    if is_long && hands_over() { tokio::task::block_in_place(work) } else { work() }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn others_go_on_during_long_work() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (other, is_served) = mpsc::channel();
        let long = runtime.spawn(async move {
            tokio::spawn(async move { other.send(()).unwrap() });
            work_on(MAX_LITTLE + 1, || is_served.recv_timeout(Duration::from_secs(30)))
        });
        runtime.block_on(long).unwrap().expect("the only worker is busy, and nobody takes over");
    }

    #[tokio::test]
    async fn a_runtime_of_one_thread_does_long_work_itself() {
        assert_eq!(work_on(MAX_LITTLE + 1, || 1), 1);
    }
}
