//! Work on large messages, which takes milliseconds: another thread runs the other tasks meanwhile.

use alongside_platform::memory;
use tokio::runtime::{Handle, RuntimeFlavor};

/// The largest message, in bytes, whose work stays on the calling thread: another thread takes longer to
/// wake.
pub(crate) const MAX_INLINE_BYTES: usize = 64 << 10;

/// Runs work on a message of this size. Before the work on a large message, another thread takes over the
/// other tasks of this thread, if the runtime has several threads. The memory that the work frees is returned
/// in a pause.
pub(crate) fn work_on<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let is_large = bytes > MAX_INLINE_BYTES;
    let can_hand_over =
        || Handle::try_current().is_ok_and(|now| now.runtime_flavor() == RuntimeFlavor::MultiThread);
    memory::trim_after(bytes);
    if is_large && can_hand_over() { tokio::task::block_in_place(work) } else { work() }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn other_tasks_run_during_work_on_a_large_message() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (sender, other_task_ran) = mpsc::channel();
        let long = runtime.spawn(async move {
            tokio::spawn(async move { sender.send(()).unwrap() });
            work_on(MAX_INLINE_BYTES + 1, || other_task_ran.recv_timeout(Duration::from_secs(30)))
        });
        runtime.block_on(long).unwrap().expect("the only worker is busy, and no thread takes over");
    }

    #[tokio::test]
    async fn a_runtime_of_one_thread_works_on_large_messages_itself() {
        assert_eq!(work_on(MAX_INLINE_BYTES + 1, || 1), 1);
    }
}
