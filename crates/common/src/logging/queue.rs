//! The queue of log lines. A thread writes them, so that logging never waits for a disk. The thread waits a
//! second for more lines, unless one is a warning: otherwise each request would wake it. If the disk is too
//! slow, or full, the queue drops lines and counts them.
//!
//! `tracing-appender` also has such a thread, but can flush its queue, as before a crash, only by ending the
//! thread, and it prints to standard output, where editors and agents expect messages.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

use super::capped_file::CappedFile;

/// The largest size of the pending lines, in bytes.
const MAX_PENDING_BYTES: usize = 1 << 20;
/// The largest size of a line, in bytes: an agent may propose a path of a megabyte.
const MAX_LINE_BYTES: usize = 4 << 10;
/// The size of the pending lines, in bytes, from which on they are written at once.
const WRITE_BYTES: usize = 64 << 10;
/// The time for which lines wait for further lines.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// The time limit of a flush.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The writing end of the queue.
#[derive(Debug, Clone)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    pending: Mutex<Pending>,
    /// Wakes the writing thread when it should write.
    is_due: Condvar,
    /// Wakes a flush when all lines are written.
    is_written: Condvar,
}

#[derive(Debug, Default)]
struct Pending {
    lines: Vec<u8>,
    /// The number of pending lines.
    count: u64,
    /// The number of lines that were dropped since the last write.
    lost: u64,
    /// Whether the lines should be written at once.
    is_urgent: bool,
    /// Whether lines were taken from the queue and are being written.
    is_writing: bool,
}

impl Queue {
    /// Starts the thread, which ends with the process.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub(super) fn start(mut file: CappedFile) -> io::Result<Self> {
        Self::to(move |lines| file.write(lines))
    }

    fn to(mut write: impl FnMut(&[u8]) -> io::Result<()> + Send + 'static) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let queue = Self(shared.clone());
        thread::Builder::new().name("log".into()).spawn(move || {
            loop {
                shared.write_out(&mut write);
            }
        })?;
        Ok(queue)
    }

    /// Waits until all lines so far are written, but at most for [`FLUSH_TIMEOUT`].
    pub(super) fn flush(&self) {
        let mut pending = self.0.lock();
        pending.is_urgent = true;
        self.0.is_due.notify_one();
        let is_waiting = |pending: &mut Pending| pending.is_writing || !pending.lines.is_empty();
        drop(self.0.is_written.wait_timeout_while(pending, FLUSH_TIMEOUT, is_waiting));
    }

    fn push(&self, line: &[u8], is_urgent: bool) {
        let mut pending = self.0.lock();
        if pending.lines.len() >= MAX_PENDING_BYTES {
            pending.lost += 1;
            return;
        }
        let was_due = pending.is_due();
        let was_empty = pending.lines.is_empty();
        match line.get(..MAX_LINE_BYTES).filter(|kept| kept.len() < line.len()) {
            Some(kept) => {
                pending.lines.extend_from_slice(kept);
                pending.lines.extend_from_slice("…\n".as_bytes());
            }
            None => pending.lines.extend_from_slice(line),
        }
        pending.count += 1;
        pending.is_urgent |= is_urgent;
        if was_empty || (pending.is_due() && !was_due) {
            self.0.is_due.notify_one();
        }
    }
}

impl Pending {
    /// Whether the lines should be written without waiting for further lines.
    fn is_due(&self) -> bool {
        self.is_urgent || self.lines.len() >= WRITE_BYTES
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for lines, then for further lines, and writes them.
    fn write_out(&self, write: &mut impl FnMut(&[u8]) -> io::Result<()>) {
        let is_empty = |pending: &mut Pending| pending.lines.is_empty();
        let pending = self.is_due.wait_while(self.lock(), is_empty).unwrap_or_else(PoisonError::into_inner);
        let is_early = |pending: &mut Pending| !pending.is_due();
        let waited = self.is_due.wait_timeout_while(pending, WRITE_INTERVAL, is_early);
        let (mut pending, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (pending.is_urgent, pending.is_writing) = (false, true);
        let (count, lost) = (std::mem::take(&mut pending.count), std::mem::take(&mut pending.lost));
        let mut lines = std::mem::take(&mut pending.lines);
        drop(pending);
        if lost > 0 {
            let note = format!("{lost} lines are missing here: the disk was full, or too slow\n");
            lines.splice(..0, note.into_bytes());
        }
        let written = write(&lines);
        let mut pending = self.lock();
        if written.is_err() {
            pending.lost += lost + count;
        }
        pending.is_writing = false;
        self.is_written.notify_all();
    }
}

impl<'a> MakeWriter<'a> for Queue {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { queue: self, is_urgent: true }
    }

    fn make_writer_for(&'a self, meta: &tracing::Metadata<'_>) -> Line<'a> {
        Line { queue: self, is_urgent: *meta.level() <= tracing::Level::WARN }
    }
}

/// The writer of one line.
#[derive(Debug)]
pub(super) struct Line<'a> {
    queue: &'a Queue,
    is_urgent: bool,
}

impl io::Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.queue.push(line, self.is_urgent);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Instant;

    use super::*;

    /// Makes a queue, and a receiver of the text that it writes.
    fn queue() -> (Queue, Receiver<String>) {
        let (log, written) = channel();
        let queue = Queue::to(move |lines| {
            log.send(String::from_utf8(lines.to_vec()).unwrap()).unwrap();
            Ok(())
        });
        (queue.unwrap(), written)
    }

    #[test]
    fn lines_wait_for_further_lines_unless_one_is_urgent() {
        let (queue, written) = queue();
        queue.push(b"one\n", false);
        queue.push(b"two\n", false);
        queue.push(b"urgent\n", true);
        assert_eq!(written.recv().unwrap(), "one\ntwo\nurgent\n");
        let since = Instant::now();
        queue.push(b"three\n", false);
        assert_eq!(written.recv().unwrap(), "three\n");
        assert!(since.elapsed() >= WRITE_INTERVAL);
        queue.push(&[b'x'; MAX_LINE_BYTES], false);
        queue.flush();
        assert_eq!(written.try_recv().unwrap().len(), MAX_LINE_BYTES, "a flush waits for the write");
        queue.flush();
        assert!(written.try_recv().is_err(), "nothing is left to write");
    }

    #[test]
    fn a_hanging_disk_delays_no_logging_and_lost_lines_are_counted() {
        let (hold, held) = channel::<()>();
        let (begun, has_begun) = channel();
        let queue = Queue::to(move |lines| {
            begun.send(String::from_utf8(lines.to_vec()).unwrap()).unwrap();
            let _ = held.recv();
            Ok(())
        })
        .unwrap();
        queue.push(b"first\n", true);
        assert_eq!(has_begun.recv().unwrap(), "first\n");
        let fit = MAX_PENDING_BYTES / 4;
        for _ in 0..fit + 10 {
            queue.push(b"abc\n", false);
        }
        drop(hold);
        let log = has_begun.recv().unwrap();
        assert!(log.starts_with("10 lines are missing here"), "{}", &log[..99]);
        assert_eq!(log.matches("abc\n").count(), fit);
    }

    #[test]
    fn lines_lost_to_a_full_disk_are_counted() {
        let (log, written) = channel();
        let mut is_full = true;
        let queue = Queue::to(move |lines| {
            if std::mem::take(&mut is_full) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            log.send(String::from_utf8(lines.to_vec()).unwrap()).unwrap();
            Ok(())
        })
        .unwrap();
        for line in ["lost\n", "kept\n"] {
            queue.push(line.as_bytes(), false);
            queue.flush();
        }
        assert_eq!(
            written.recv().unwrap(),
            "1 lines are missing here: the disk was full, or too slow\nkept\n"
        );
    }

    #[test]
    fn a_very_long_line_is_cut() {
        let (queue, written) = queue();
        queue.push(&[b'x'; 1 << 20], true);
        assert_eq!(written.recv().unwrap().len(), MAX_LINE_BYTES + "…\n".len());
    }
}
