//! The link between a program and its screen. A thread reads the program's output at the speed of the link,
//! passes it to the terminal emulator, and sends the terminal's answers.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::terminal::{Terminal, TerminalState};
use crate::wait::{self, PATIENCE};

/// The time for which the reader waits for output before it checks whether to stop.
const POLL_TIMEOUT: Duration = Duration::from_millis(10);

/// The terminal's end of the pty. Dropping it closes this end.
#[derive(Debug)]
pub(super) struct Link {
    keyboard: File,
    shared: Arc<Shared>,
    reader: Option<JoinHandle<()>>,
}

struct Shared {
    parser: Mutex<vt100::Parser<TerminalState>>,
    written: Mutex<Output>,
    /// The number of polls without output.
    empty_polls: AtomicU64,
    /// The time of the last output.
    last_output: Mutex<Instant>,
    /// The longest time that the program may have waited for an answer of the terminal.
    longest_answer_delay: Mutex<Duration>,
    stop: AtomicBool,
}

/// The program's output so far.
#[derive(Debug, Default)]
struct Output {
    bytes: Vec<u8>,
    /// The pieces in which the output arrived: the time of each, and its end in the bytes.
    pieces: Vec<(Instant, usize)>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Link {
    pub(super) fn new(terminal_end: File, terminal: &Terminal) -> Result<Self> {
        let (rows, columns) = (at_least_one(terminal.rows), at_least_one(terminal.columns));
        let state = TerminalState::new(terminal.answers);
        let shared = Arc::new(Shared {
            parser: Mutex::new(vt100::Parser::new_with_callbacks(rows, columns, 0, state)),
            written: Mutex::default(),
            empty_polls: AtomicU64::new(0),
            last_output: Mutex::new(Instant::now()),
            longest_answer_delay: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let (state, keyboard, speed) = (shared.clone(), terminal_end.try_clone()?, terminal.bytes_per_second);
        let thread = std::thread::Builder::new().name("screen".into());
        let reader = thread.spawn(move || read(terminal_end, &state, speed));
        Ok(Self { keyboard, shared, reader: Some(reader.context("no thread for the screen")?) })
    }

    pub(super) fn send(&self, bytes: &[u8]) -> Result<()> {
        (&self.keyboard).write_all(bytes).context("the program's terminal takes no keys")
    }

    pub(super) fn resize(&self, columns: u16, rows: u16) {
        self.shared.parser().set_size(at_least_one(rows), at_least_one(columns));
    }

    pub(super) fn picture(&self) -> vt100::Screen {
        self.shared.parser().screen().clone()
    }

    pub(super) fn received(&self) -> u64 {
        self.shared.written.lock().expect("no reader panics").bytes.len() as u64
    }

    pub(super) fn output(&self) -> Vec<u8> {
        self.shared.written.lock().expect("no reader panics").bytes.clone()
    }

    /// Returns the piece of output with this index, counted from 0, with its time of arrival.
    pub(super) fn piece(&self, index: usize) -> Option<(Instant, Vec<u8>)> {
        let output = self.shared.written.lock().expect("no reader panics");
        let (arrived_at, end) = *output.pieces.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| output.pieces[before].1);
        Some((arrived_at, output.bytes[start..end].to_vec()))
    }

    pub(super) fn silent_for(&self) -> Duration {
        self.shared.last_output.lock().expect("no reader panics").elapsed()
    }

    pub(super) fn longest_answer_delay(&self) -> Duration {
        *self.shared.longest_answer_delay.lock().expect("no reader panics")
    }

    pub(super) fn has_enabled(&self, mode: u16) -> bool {
        self.shared.parser().callbacks().modes.contains(&mode)
    }

    /// Waits until the whole output is read: until a poll that began after this call found no output.
    pub(super) fn drain(&self) -> Result<()> {
        // The first poll that ends may have begun before this call.
        let empty_polls = || self.shared.empty_polls.load(Ordering::SeqCst);
        let before = empty_polls();
        wait::until("the end of what the program wrote", PATIENCE, || {
            if empty_polls() >= before + 2 { Ok(()) } else { Err(format!("{} bytes", self.received())) }
        })
    }

    /// Returns the differences from the state of a new terminal.
    pub(super) fn unrestored_state(&self) -> Vec<String> {
        let parser = self.shared.parser();
        let (screen, state) = (parser.screen(), parser.callbacks());
        let default_colours = (vt100::Color::Default, vt100::Color::Default);
        let has_style =
            screen.bold() || screen.dim() || screen.italic() || screen.underline() || screen.inverse();
        let states = [
            (screen.alternate_screen(), "the alternate screen"),
            (screen.hide_cursor(), "a hidden cursor"),
            (screen.cursor_style() != vt100::CursorStyle::Default, "another cursor"),
            (screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None, "the mouse"),
            (
                screen.mouse_protocol_encoding() != vt100::MouseProtocolEncoding::Default,
                "the mouse's encoding",
            ),
            (screen.bracketed_paste(), "bracketed paste"),
            (screen.application_cursor(), "application cursor keys"),
            (screen.application_keypad(), "the application keypad"),
            (has_style || (screen.fgcolor(), screen.bgcolor()) != default_colours, "colours or styles"),
            (state.keyboards > 0, "a keyboard protocol"),
        ];
        let states = states.into_iter().filter(|(on, _)| *on).map(|(_, what)| what.to_owned());
        states.chain(state.modes.iter().map(|mode| format!("private mode {mode}"))).collect()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // The reader's thread has a descriptor of this end too.
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

impl Output {
    fn append(&mut self, arrived_at: Instant, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        self.pieces.push((arrived_at, self.bytes.len()));
    }
}

impl Shared {
    fn parser(&self) -> MutexGuard<'_, vt100::Parser<TerminalState>> {
        self.parser.lock().expect("no reader panics")
    }
}

fn read(mut terminal_end: File, shared: &Shared, bytes_per_second: Option<u32>) {
    // A slow link transfers a fiftieth of its bytes per second at a time.
    let mut piece = vec![0; bytes_per_second.map_or(8192, |speed| (speed / 50).clamp(1, 8192) as usize)];
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(POLL_TIMEOUT.subsec_nanos()) };
    // The program wrote its next output after this time.
    let mut last_empty = Instant::now();
    while !shared.stop.load(Ordering::SeqCst) {
        let polled = Instant::now();
        match poll(&mut [PollFd::new(&terminal_end, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => {
                last_empty = polled;
                shared.empty_polls.fetch_add(1, Ordering::SeqCst);
                continue;
            }
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
        }
        let Ok(count @ 1..) = terminal_end.read(&mut piece) else { return };
        let arrived_at = Instant::now();
        let answers = {
            let mut parser = shared.parser();
            parser.process(&piece[..count]);
            std::mem::take(&mut parser.callbacks_mut().pending_answers)
        };
        shared.written.lock().expect("no test panics with it").append(arrived_at, &piece[..count]);
        *shared.last_output.lock().expect("nobody panics with the clock") = Instant::now();
        // Fails if the program has ended.
        let _ = terminal_end.write_all(&answers);
        if !answers.is_empty() {
            let mut slowest = shared.longest_answer_delay.lock().expect("no test panics with it");
            *slowest = slowest.max(last_empty.elapsed());
        }
        if let Some(speed) = bytes_per_second {
            std::thread::sleep(Duration::from_secs(1) * count as u32 / speed);
        }
    }
}

/// Returns at least 1: the emulator needs a cell.
fn at_least_one(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap_or(NonZeroU16::MIN)
}
