//! The thread that writes to the terminal, so that a slow terminal does not hold up the desk. Frames that a
//! stuck terminal has not taken can be abandoned. Later output, which gives the terminal back, is still
//! written.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long a terminal may take for the last output when the desk is left.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// The bytes that are written at once. Giving the terminal back waits for no more than these.
const PIECE: usize = 1024;

/// The number that abandons every frame, until the terminal is taken again.
pub(crate) const EVERYTHING: usize = usize::MAX;

pub(crate) struct Writer {
    frames: std::sync::mpsc::Sender<(usize, Vec<u8>)>,
    /// The number of frames that were sent.
    sent: usize,
    written: mpsc::UnboundedReceiver<io::Result<()>>,
    under_way: usize,
    /// The frames up to this number are abandoned, as far as they are not written yet.
    pub(crate) abandoned: Arc<AtomicUsize>,
}

impl Writer {
    pub(crate) fn start() -> Self {
        let (frames, to_write) = std::sync::mpsc::channel::<(usize, Vec<u8>)>();
        let (tell, written) = mpsc::unbounded_channel();
        let abandoned = Arc::new(AtomicUsize::new(0));
        let given_up = abandoned.clone();
        std::thread::spawn(move || {
            while let Ok((number, frame)) = to_write.recv() {
                if tell.send(write(number, &frame, &given_up)).is_err() {
                    break;
                }
            }
        });
        Self { frames, sent: 0, written, under_way: 0, abandoned }
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

    /// Waits until a frame is written. Cancel safe. Never ends if no frame is being written.
    pub(crate) async fn written(&mut self) -> io::Result<()> {
        if self.under_way == 0 {
            return std::future::pending().await;
        }
        let result = self.written.recv().await;
        self.under_way -= 1;
        result.unwrap_or(Ok(()))
    }

    /// Waits until everything is written, and gives up on a terminal that does not take it.
    pub(crate) async fn finish(&mut self) {
        let all = async {
            while self.under_way > 0 {
                // An error ends the wait just as well.
                let _ = self.written().await;
            }
        };
        let _ = timeout(PATIENCE, all).await;
        self.abandon();
    }

    /// Abandons everything that was sent and not written yet. Later output is written.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(self.sent, Ordering::Relaxed);
    }
}

fn write(number: usize, frame: &[u8], abandoned: &AtomicUsize) -> io::Result<()> {
    for piece in frame.chunks(PIECE) {
        // Read under the lock: after a panic has given the terminal back, nothing more is drawn.
        let mut out = io::stdout().lock();
        if number <= abandoned.load(Ordering::Relaxed) {
            return Ok(());
        }
        out.write_all(piece)?;
        out.flush()?;
    }
    Ok(())
}
