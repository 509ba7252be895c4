//! The terminal: taken over, drawn on, and given back as it was, whatever ends the desk.
//!
//! A thread writes, so that a slow terminal holds up nothing but the picture: while a frame is on its way no
//! other is drawn, and the next one shows all that happened meanwhile.

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
use late_replies::TerminalReplies;
use screen::{Screen, ScreenEvent};
use writer::{EVERYTHING, Writer};

/// Ends an escape sequence that was cut off.
const CANCEL: &str = "\x18";

/// Keys that come so soon after the terminal was taken back were typed before.
const LEFT_OVER: Duration = Duration::from_millis(30);

/// Shows the other screen, empty, and puts the cursor where the shell's is: an editor that saves the cursor
/// saves that place, also in terminals that have one memory for both screens.
const OTHER_SCREEN: &str = "\x1b[?47h\x1b7\x1b[2J";
const SHELL_CURSOR: &str = "\x1b8";

/// Clicks and the wheel in the widest form. Reports of mere motion would flood a slow line.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

pub(crate) struct Tty {
    terminal: Terminal<CrosstermBackend<Pen>>,
    pen: Pen,
    writer: Writer,
    /// Absent while the terminal is somebody else's.
    input: Option<EventStream>,
    replies: TerminalReplies,
    /// When the terminal was taken back last.
    taken_back: Option<Instant>,
    /// Whether an editor has the terminal, on the other screen.
    handed_over: bool,
    hook: Option<Hook>,
    /// Whether a panic has given the terminal back. Twice would put the cursor over the panic's message.
    given_back: Arc<AtomicBool>,
}

/// Collects what the backend writes.
#[derive(Clone, Default)]
pub(crate) struct Pen(Arc<Mutex<Vec<u8>>>);

impl Write for Pen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pen {
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tty {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// When there is none, or it cannot be used so.
    pub(crate) fn open(panicked: mpsc::UnboundedSender<()>) -> io::Result<Self> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::other("standard output is no terminal"));
        }
        let pen = Pen::default();
        let terminal = Terminal::new(CrosstermBackend::new(pen.clone()))?;
        let (writer, given_back) = (Writer::start(), Arc::new(AtomicBool::new(false)));
        let hook = Some(Hook::set(panicked, writer.abandoned.clone(), given_back.clone()));
        let mut tty = Self {
            terminal,
            pen,
            writer,
            input: None,
            replies: TerminalReplies::default(),
            taken_back: None,
            handed_over: false,
            hook,
            given_back,
        };
        tty.enter()?;
        Ok(tty)
    }

    fn enter(&mut self) -> io::Result<()> {
        // A second stream would wait for the first one's next key.
        self.input = None;
        // Keys typed before were meant for the program that had the terminal.
        discard_typed();
        self.given_back.store(false, Ordering::Relaxed);
        self.writer.abandon();
        terminal::enable_raw_mode()?;
        queue!(
            self.pen,
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

    /// Gives the terminal back, and writes these bytes on it.
    async fn leave(&mut self, last: &[u8]) {
        self.input = None;
        self.writer.finish().await;
        let mut bytes = if self.given_back.load(Ordering::Relaxed) { Vec::new() } else { ending() };
        bytes.extend_from_slice(last);
        self.pen.take();
        self.writer.write(bytes);
        self.writer.finish().await;
        // A terminal that is gone has no modes.
        let _ = terminal::disable_raw_mode();
    }

    /// Gives the terminal back for good, and says `note` on it.
    pub(crate) async fn close(mut self, note: Option<&str>) {
        self.leave(&in_raw_mode(note.unwrap_or_default())).await;
        self.hook.take();
    }

    fn send(&mut self) {
        let bytes = self.pen.take();
        self.writer.write(bytes);
    }
}

impl Drop for Tty {
    /// A panic or an error on the way: there is no time to wait.
    fn drop(&mut self) {
        if self.hook.is_some() && !self.given_back.load(Ordering::Relaxed) {
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
        // A frame that changes nothing is on the screen already.
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
            // This key was typed before an editor had the terminal, for the screen of that time.
            Some(Ok(Event::Key(_))) if self.taken_back.is_some_and(|at| at.elapsed() < LEFT_OVER) => {
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
        queue!(self.pen, CopyToClipboard::to_clipboard_from(text))?;
        self.send();
        Ok(())
    }

    fn notify(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.writer.write(bytes);
        Ok(())
    }

    async fn hand_over(&mut self, note: &str) {
        // The note, and all that an editor without a screen of its own prints, stay out of the shell's text.
        // Some way down, so that it does not scroll away with the first line that is printed.
        let row = self.size().height / 3 + 1;
        let last = format!("{OTHER_SCREEN}\x1b[{row};1H  {note}{SHELL_CURSOR}");
        self.leave(last.as_bytes()).await;
        self.handed_over = true;
    }

    fn take_back(&mut self) -> io::Result<()> {
        // Another program may have changed the modes, and crossterm would take them for its own.
        terminal::disable_raw_mode()?;
        if std::mem::take(&mut self.handed_over) {
            // An editor may have left the other screen on: the shell's cursor is the one to come back to.
            queue!(self.pen, Print(CANCEL), LeaveAlternateScreen)?;
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

/// The escape sequences that give the terminal back.
fn ending() -> Vec<u8> {
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

/// Lines as raw mode needs them: there a line feed alone stays in its column.
fn in_raw_mode(lines: &str) -> Vec<u8> {
    lines.lines().flat_map(|line| format!("{line}\r\n").into_bytes()).collect()
}

/// Gives the terminal back at once.
fn restore() {
    let mut out = io::stdout();
    let _ = out.write_all(&ending());
    let _ = out.flush();
    let _ = terminal::disable_raw_mode();
}

type PanicHook = dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static;

/// While it lives, a panic anywhere gives the terminal back before its message is printed, and the desk hears
/// of it.
struct Hook {
    before: Arc<Mutex<Option<Box<PanicHook>>>>,
}

impl Hook {
    fn set(
        panicked: mpsc::UnboundedSender<()>,
        abandoned: Arc<AtomicUsize>,
        given_back: Arc<AtomicBool>,
    ) -> Self {
        let before = Arc::new(Mutex::new(Some(std::panic::take_hook())));
        let own = before.clone();
        std::panic::set_hook(Box::new(move |info| {
            abandoned.store(EVERYTHING, Ordering::Relaxed);
            if !given_back.swap(true, Ordering::Relaxed) {
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

impl Drop for Hook {
    fn drop(&mut self) {
        // A thread that panics may not change hooks.
        if std::thread::panicking() {
            return;
        }
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(before) = before {
            std::panic::set_hook(before);
        }
    }
}
