//! The terminal: the desk takes it over, draws on it, and restores it, whatever ends the desk.
//!
//! A thread writes, so that a slow terminal delays only frames: no frame is drawn while another one is being
//! written, and the next frame shows all changes since.

mod late_replies;
pub(crate) mod screen;
pub(crate) mod signals;
mod writer;

use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use alongside_platform::terminal::{discard_typed, stop_job};
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange, Event, EventStream,
};
use crossterm::style::{Print, ResetColor};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{Command, cursor, queue, terminal};
use futures_util::StreamExt;
use ratatui_core::layout::Size;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use tokio::sync::mpsc;

use crate::app::App;
use late_replies::ReplyFilter;
use screen::{Screen, ScreenEvent};
use writer::{ALL_FRAMES, Writer};

/// The control character that ends an incomplete escape sequence.
const CANCEL: &str = "\x18";

/// The time after the terminal was taken back in which keys count as typed before.
const OLD_INPUT_WINDOW: Duration = Duration::from_millis(30);

/// Shows the alternate screen, saves the shell's cursor there, and clears the screen.
const ALTERNATE_SCREEN: &str = "\x1b[?47h\x1b7\x1b[2J";

/// Restores the shell's cursor, for an editor that saves the cursor at its start: some terminals have one
/// saved cursor for both screens.
const SHELL_CURSOR: &str = "\x1b8";

/// Enables reports of clicks and the wheel, in SGR form. Reports of motion would flood a slow line.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

pub(crate) struct Tty {
    terminal: Terminal<CrosstermBackend<OutputBuffer>>,
    output: OutputBuffer,
    writer: Writer,
    /// The input; `None` while another program has the terminal.
    input: Option<EventStream>,
    replies: ReplyFilter,
    /// The time at which the terminal was taken back last.
    taken_back: Option<Instant>,
    /// Whether an editor has the terminal, on the alternate screen.
    handed_over: bool,
    panic_hook: Option<PanicHookGuard>,
    /// Whether a panic has restored the terminal. A second time would put the cursor over the panic's
    /// message.
    is_restored: Arc<AtomicBool>,
}

/// The bytes that the backend has written and the writer has not taken.
#[derive(Clone, Default)]
pub(crate) struct OutputBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for OutputBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl OutputBuffer {
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tty {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// If standard output is not a terminal, or the terminal's modes cannot be set.
    pub(crate) fn open(panicked: mpsc::UnboundedSender<()>) -> io::Result<Self> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::other("standard output is no terminal"));
        }
        let output = OutputBuffer::default();
        let terminal = Terminal::new(CrosstermBackend::new(output.clone()))?;
        let (writer, is_restored) = (Writer::start(), Arc::new(AtomicBool::new(false)));
        let panic_hook = Some(PanicHookGuard::set(panicked, writer.discarded.clone(), is_restored.clone()));
        let mut tty = Self {
            terminal,
            output,
            writer,
            input: None,
            replies: ReplyFilter::default(),
            taken_back: None,
            handed_over: false,
            panic_hook,
            is_restored,
        };
        tty.enter()?;
        Ok(tty)
    }

    fn enter(&mut self) -> io::Result<()> {
        // A second stream would only read after the next key of the first one.
        self.input = None;
        // Earlier keys were meant for the program that had the terminal.
        discard_typed();
        self.is_restored.store(false, Ordering::Relaxed);
        self.writer.discard_unwritten();
        terminal::enable_raw_mode()?;
        queue!(
            self.output,
            Print(CANCEL),
            EnterAlternateScreen,
            Print(MOUSE_ON),
            EnableBracketedPaste,
            EnableFocusChange,
            cursor::Hide
        )?;
        self.redraw()?;
        self.input = Some(EventStream::new());
        Ok(())
    }

    /// Restores the terminal, and writes these bytes to it.
    async fn leave(&mut self, last: &[u8]) {
        self.input = None;
        self.writer.finish().await;
        let mut bytes =
            if self.is_restored.load(Ordering::Relaxed) { Vec::new() } else { restore_sequences() };
        bytes.extend_from_slice(last);
        self.output.take();
        self.writer.write(bytes);
        self.writer.finish().await;
        // A terminal that is closed has no modes to restore.
        let _ = terminal::disable_raw_mode();
    }

    /// Restores the terminal for good, and prints `note` on it.
    pub(crate) async fn close(mut self, note: Option<&str>) {
        self.leave(&raw_mode_lines(note.unwrap_or_default())).await;
        self.panic_hook.take();
    }

    fn send(&mut self) {
        let bytes = self.output.take();
        self.writer.write(bytes);
    }
}

impl Drop for Tty {
    /// Restores the terminal after a panic or an error, without waiting for the writer.
    fn drop(&mut self) {
        if self.panic_hook.is_some() && !self.is_restored.load(Ordering::Relaxed) {
            restore();
        }
    }
}

impl Screen for Tty {
    fn size(&self) -> Size {
        self.terminal.size().unwrap_or_default()
    }

    fn is_ready(&self) -> bool {
        self.input.is_some() && !self.writer.is_busy()
    }

    fn draw(&mut self, app: &App) -> io::Result<()> {
        self.terminal.draw(|frame| app.draw(frame))?;
        self.send();
        // A frame without a difference sends no bytes. An empty sequence makes the writer report it all the
        // same.
        if !self.writer.is_busy() {
            self.writer.write(b"\x1b[0m".to_vec());
        }
        Ok(())
    }

    async fn next(&mut self) -> io::Result<ScreenEvent> {
        let input = async {
            match &mut self.input {
                Some(input) => input.next().await,
                None => std::future::pending().await,
            }
        };
        let typed = tokio::select! {
            written = self.writer.written() => return written.map(|()| ScreenEvent::Written),
            typed = input => typed,
        };
        match typed {
            Some(Ok(event)) if self.replies.discard(&event) => Ok(ScreenEvent::Nothing),
            // This key was typed before the desk got the terminal back from an editor.
            Some(Ok(Event::Key(_))) if self.taken_back.is_some_and(|at| at.elapsed() < OLD_INPUT_WINDOW) => {
                Ok(ScreenEvent::Nothing)
            }
            Some(Ok(Event::Resize(..))) => Ok(ScreenEvent::Resized),
            Some(Ok(event)) => Ok(ScreenEvent::Input(event)),
            Some(Err(error)) => Err(error),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn redraw(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())?;
        Ok(())
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        queue!(self.output, CopyToClipboard::to_clipboard_from(text))?;
        self.send();
        Ok(())
    }

    fn notify(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.writer.write(bytes);
        Ok(())
    }

    async fn hand_over(&mut self, note: &str) {
        // The note, and the output of an editor that does not use the alternate screen, stay out of the
        // shell's text. The note is a third down, so that the first printed lines do not scroll it away.
        let row = self.size().height / 3 + 1;
        let last = format!("{ALTERNATE_SCREEN}\x1b[{row};1H  {note}{SHELL_CURSOR}");
        self.leave(last.as_bytes()).await;
        self.handed_over = true;
    }

    fn take_back(&mut self) -> io::Result<()> {
        // Another program may have changed the modes, and crossterm would save these as the modes to restore.
        terminal::disable_raw_mode()?;
        if std::mem::take(&mut self.handed_over) {
            // An editor may have left the alternate screen on. Leaving it restores the shell's cursor.
            queue!(self.output, Print(CANCEL), LeaveAlternateScreen)?;
        }
        self.enter()?;
        self.taken_back = Some(Instant::now());
        Ok(())
    }

    async fn stop(&mut self) -> io::Result<()> {
        self.leave(&[]).await;
        if stop_job() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.enter()
    }
}

/// The escape sequences that restore the terminal.
fn restore_sequences() -> Vec<u8> {
    let mut ansi = String::from(CANCEL);
    // Writing to a String does not fail.
    let _ = DisableFocusChange.write_ansi(&mut ansi);
    let _ = DisableBracketedPaste.write_ansi(&mut ansi);
    ansi.push_str(MOUSE_OFF);
    ansi.push_str("\x1b[0m");
    let _ = ResetColor.write_ansi(&mut ansi);
    let _ = LeaveAlternateScreen.write_ansi(&mut ansi);
    let _ = cursor::Show.write_ansi(&mut ansi);
    ansi.into_bytes()
}

/// The bytes of lines for raw mode, in which a line feed alone does not return to the first column.
fn raw_mode_lines(lines: &str) -> Vec<u8> {
    lines.lines().flat_map(|line| format!("{line}\r\n").into_bytes()).collect()
}

/// Restores the terminal at once.
fn restore() {
    let mut out = io::stdout();
    let _ = out.write_all(&restore_sequences());
    let _ = out.flush();
    let _ = terminal::disable_raw_mode();
}

type PanicHook = dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static;

/// While this guard lives, a panic in any thread restores the terminal before its message is printed, and
/// reports the panic to the desk.
struct PanicHookGuard {
    before: Arc<Mutex<Option<Box<PanicHook>>>>,
}

impl PanicHookGuard {
    fn set(
        panicked: mpsc::UnboundedSender<()>,
        discarded: Arc<AtomicUsize>,
        is_restored: Arc<AtomicBool>,
    ) -> Self {
        let before = Arc::new(Mutex::new(Some(std::panic::take_hook())));
        let own = before.clone();
        std::panic::set_hook(Box::new(move |info| {
            discarded.store(ALL_FRAMES, Ordering::Relaxed);
            if !is_restored.swap(true, Ordering::Relaxed) {
                restore();
            }
            if let Some(hook) = &*own.lock().unwrap_or_else(PoisonError::into_inner) {
                hook(info);
            }
            // The desk may have ended.
            let _ = panicked.send(());
        }));
        Self { before }
    }
}

impl Drop for PanicHookGuard {
    fn drop(&mut self) {
        // A panicking thread must not change the panic hook.
        if std::thread::panicking() {
            return;
        }
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(before) = before {
            std::panic::set_hook(before);
        }
    }
}
