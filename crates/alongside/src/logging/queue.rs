//! The queue of log lines. A thread writes them, so that logging never waits for a disk. If the disk is too
//! slow, or full, the queue drops lines and counts them.
//!
//! `tracing-appender` has such a thread as well, but can write out its queue, as before a crash, only by
//! ending the thread, and it prints to standard output, where editors and agents expect messages.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::capped_file::CappedFile;

/// The most lines that wait.
const MAX_LINES: usize = 1024;
/// The most bytes of a line: an agent may propose a path of a megabyte.
const MAX_LINE_BYTES: usize = 4 << 10;
/// The most bytes of one write, give or take a line.
const WRITE_BYTES: usize = 64 << 10;
/// How long a flush may take.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

enum Job {
    Line(Vec<u8>),
    /// Answers when everything before it is written.
    Flush(SyncSender<()>),
}

/// The writing end of the queue.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    jobs: SyncSender<Job>,
    lost: Arc<AtomicU64>,
}

impl Queue {
    /// Starts the thread, which ends when the last clone is dropped.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub(super) fn start(mut file: CappedFile) -> io::Result<Self> {
        Self::to(move |lines| file.write(lines))
    }

    fn to(write: impl FnMut(&[u8]) -> io::Result<()> + Send + 'static) -> io::Result<Self> {
        let (jobs, queue) = sync_channel(MAX_LINES);
        let lost = Arc::<AtomicU64>::default();
        let writer = Writer { write, queue, lost: lost.clone(), lines: Vec::new(), count: 0 };
        thread::Builder::new().name("log".into()).spawn(|| writer.run())?;
        Ok(Self { jobs, lost })
    }

    /// Waits until everything logged before is written, at most for [`FLUSH_TIMEOUT`].
    pub(super) fn flush(&self) {
        let until = Instant::now() + FLUSH_TIMEOUT;
        let (done, is_done) = sync_channel(1);
        let mut job = Job::Flush(done);
        while let Err(TrySendError::Full(back)) = self.jobs.try_send(job) {
            if Instant::now() >= until {
                return;
            }
            job = back;
            thread::sleep(Duration::from_millis(5));
        }
        let _ = is_done.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}

impl io::Write for Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut kept = line.get(..MAX_LINE_BYTES).unwrap_or(line).to_vec();
        if kept.len() < line.len() {
            kept.extend("…\n".as_bytes());
        }
        if self.jobs.try_send(Job::Line(kept)).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The thread that writes.
struct Writer<W> {
    write: W,
    queue: Receiver<Job>,
    /// Lines dropped since the last write.
    lost: Arc<AtomicU64>,
    /// The next write, and the number of its lines.
    lines: Vec<u8>,
    count: u64,
}

impl<W: FnMut(&[u8]) -> io::Result<()>> Writer<W> {
    fn run(mut self) {
        loop {
            match self.queue.try_recv() {
                Ok(job) => self.take(job),
                Err(TryRecvError::Empty) => {
                    self.write_out();
                    match self.queue.recv() {
                        Ok(job) => self.take(job),
                        Err(_) => return,
                    }
                }
                Err(TryRecvError::Disconnected) => return self.write_out(),
            }
        }
    }

    fn take(&mut self, job: Job) {
        match job {
            Job::Line(line) => {
                self.lines.extend(line);
                self.count += 1;
                if self.lines.len() >= WRITE_BYTES {
                    self.write_out();
                }
            }
            Job::Flush(done) => {
                self.write_out();
                let _ = done.send(());
            }
        }
    }

    fn write_out(&mut self) {
        if self.lines.is_empty() {
            return;
        }
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            let note = format!("{lost} lines are missing here: the disk was full, or too slow\n");
            self.lines.splice(..0, note.into_bytes());
        }
        if (self.write)(&self.lines).is_err() {
            self.lost.fetch_add(lost + self.count, Ordering::Relaxed);
        }
        self.lines.clear();
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_hanging_disk_delays_nobody_and_lost_lines_are_counted() {
        let (hold, held) = channel::<()>();
        let (begun, has_begun) = channel();
        let written = Arc::new(Mutex::new(Vec::new()));
        let log = written.clone();
        let mut queue = Queue::to(move |lines| {
            begun.send(()).unwrap();
            let _ = held.recv();
            log.lock().unwrap().extend_from_slice(lines);
            Ok(())
        })
        .unwrap();
        queue.write_all(b"first\n").unwrap();
        has_begun.recv().unwrap();
        for _ in 0..MAX_LINES + 10 {
            queue.write_all(b"line\n").unwrap();
        }
        drop(hold);
        while queue.lost.load(Ordering::Relaxed) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        queue.flush();
        let log = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        assert!(log.starts_with("first\n10 lines are missing here"), "{log}");
        assert_eq!(log.matches("line\n").count(), MAX_LINES);
    }

    #[test]
    fn lines_lost_to_a_full_disk_are_counted() {
        let written = Arc::new(Mutex::new((0, Vec::new())));
        let log = written.clone();
        let mut queue = Queue::to(move |lines| {
            let mut log = log.lock().unwrap();
            log.0 += 1;
            if log.0 == 1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            log.1.extend_from_slice(lines);
            Ok(())
        })
        .unwrap();
        for line in ["lost\n", "kept\n"] {
            queue.write_all(line.as_bytes()).unwrap();
            queue.flush();
        }
        let log = String::from_utf8(written.lock().unwrap().1.clone()).unwrap();
        assert_eq!(log, "1 lines are missing here: the disk was full, or too slow\nkept\n");
    }

    #[test]
    fn an_endless_line_is_cut() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let log = written.clone();
        let mut queue = Queue::to(move |lines| {
            log.lock().unwrap().extend_from_slice(lines);
            Ok(())
        })
        .unwrap();
        queue.write_all(&[b'x'; 1 << 20]).unwrap();
        queue.flush();
        assert_eq!(written.lock().unwrap().len(), MAX_LINE_BYTES + "…\n".len());
    }
}
