//! The thread that writes to the terminal, so that a slow terminal does not delay the desk. Frames that a
//! blocked terminal has not read can be discarded. Later output, which restores the terminal, is still
//! written.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

/// The time that a terminal has to read the pending output before the rest is discarded.
const FINISH_TIMEOUT: Duration = Duration::from_millis(1_000);

/// The most bytes of one write. Restoring the terminal after a panic waits for one write at most.
const MAX_WRITE_BYTES: usize = 1024;

/// The frame number that discards every frame, until the desk takes the terminal over again.
pub(crate) const ALL_FRAMES: usize = usize::MAX;

pub(crate) struct Writer {
    frames: std::sync::mpsc::Sender<(usize, Vec<u8>)>,
    /// The number of frames that were sent to the thread.
    sent: usize,
    written: mpsc::UnboundedReceiver<io::Result<()>>,
    under_way: usize,
    /// The number of the last discarded frame. Frames up to this number are not written any further.
    pub(crate) discarded: Arc<AtomicUsize>,
}

impl Writer {
    pub(crate) fn start() -> Self {
        let (frames, to_write) = std::sync::mpsc::channel::<(usize, Vec<u8>)>();
        let (done, written) = mpsc::unbounded_channel();
        let discarded = Arc::new(AtomicUsize::new(0));
        let discarded_frames = discarded.clone();
        std::thread::spawn(move || {
            while let Ok((number, frame)) = to_write.recv() {
                if done.send(write(number, &frame, &discarded_frames)).is_err() {
                    break;
                }
            }
        });
        Self { frames, sent: 0, written, under_way: 0, discarded }
    }

    pub(crate) fn write(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() && self.frames.send((self.sent + 1, bytes)).is_ok() {
            self.sent += 1;
            self.under_way += 1;
        }
    }

    /// Whether a frame is being written.
    pub(crate) fn is_busy(&self) -> bool {
        self.under_way > 0
    }

    /// Waits until a frame is written. Cancel safe. Never returns if no frame is being written.
    pub(crate) async fn written(&mut self) -> io::Result<()> {
        if self.under_way == 0 {
            return std::future::pending().await;
        }
        let result = self.written.recv().await;
        self.under_way -= 1;
        result.unwrap_or(Ok(()))
    }

    /// Waits until all output is written, and discards the rest if the terminal does not read it in time.
    pub(crate) async fn finish(&mut self) {
        let all = async {
            while self.under_way > 0 {
                // After an error, the frame is done, too.
                let _ = self.written().await;
            }
        };
        let _ = timeout(FINISH_TIMEOUT, all).await;
        self.discard_unwritten();
    }

    /// Discards the output that was sent and is not written yet. Later output is written.
    pub(crate) fn discard_unwritten(&self) {
        self.discarded.store(self.sent, Ordering::Relaxed);
    }
}

fn write(number: usize, frame: &[u8], discarded: &AtomicUsize) -> io::Result<()> {
    for part in frame.chunks(MAX_WRITE_BYTES) {
        // The number is read under the lock, so that no byte follows after a panic has restored the terminal.
        let mut out = io::stdout().lock();
        if number <= discarded.load(Ordering::Relaxed) {
            return Ok(());
        }
        out.write_all(part)?;
        out.flush()?;
    }
    Ok(())
}
