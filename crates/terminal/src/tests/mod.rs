//! Tests of the whole desk, with a scripted companion, scripted keys and a screen of cells. The clock is
//! paused, so that tests do not wait in real time.

mod accepting_all;
mod agents;
mod arranging;
mod comment_steps;
mod commenting;
mod deciding;
mod editing;
mod following;
mod layout;
mod many_changes;
mod marking;
mod reasons;
mod rules;
mod screens;
mod turns;
mod unsent_comments;

use std::io;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use alongside_desk::{Agent, Closing, Decision, Event, HunkState, Problem, Request, Review, ReviewId, pair};
use crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui_core::backend::TestBackend;
use ratatui_core::layout::Size;
use ratatui_core::terminal::Terminal;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Duration, sleep, timeout};

use crate::app::App;
use crate::palette::{Depth, Palette};
use crate::run::{self, Inputs};
use crate::scripted_companion::{self, Companion, Piece, agent, differs, same};
use crate::tty::screen::{Screen, ScreenEvent};
use crate::tty::signals::Signals;
use crate::{Ending, Notification, Options, Theme, leaving};

/// The time at the desk, in ms since the Unix epoch: two hours and five minutes.
const NOW: u64 = 125 * 60_000;

/// A terminal of cells.
struct Cells {
    terminal: Terminal<TestBackend>,
    shared: Arc<Shared>,
    input: mpsc::UnboundedReceiver<ScreenEvent>,
    under_way: bool,
    ours: bool,
}

/// The part of the terminal that a test reads and controls.
#[derive(Default)]
struct Shared {
    shown: Mutex<String>,
    size: Mutex<Size>,
    copied: Mutex<Vec<String>>,
    notes: Mutex<Vec<String>>,
    notified: Mutex<Vec<u8>>,
    /// The number of frames so far.
    frames: Mutex<usize>,
    /// Whether the terminal reads no frame, so that the frame stays under way.
    stuck: AtomicBool,
}

impl Screen for Cells {
    fn size(&self) -> Size {
        *self.shared.size.lock().unwrap()
    }

    fn is_ready(&self) -> bool {
        self.ours && !self.under_way
    }

    fn draw(&mut self, app: &App) -> io::Result<()> {
        let size = self.size();
        self.terminal.backend_mut().resize(size.width, size.height);
        // The test reads the frame, because the backend keeps old text under the second cell of a wide
        // character.
        let frame = self.terminal.draw(|frame| app.draw(frame)).unwrap();
        let rows = frame.buffer.content.chunks(usize::from(size.width));
        let rows: Vec<String> = rows.map(row).collect();
        *self.shared.shown.lock().unwrap() = rows.join("\n");
        *self.shared.frames.lock().unwrap() += 1;
        self.under_way = true;
        Ok(())
    }

    async fn next(&mut self) -> io::Result<ScreenEvent> {
        loop {
            if self.under_way && !self.shared.stuck.load(Ordering::Relaxed) {
                self.under_way = false;
                return Ok(ScreenEvent::Written);
            }
            let came = match self.ours {
                true => timeout(Duration::from_millis(1), self.input.recv()).await.ok().flatten(),
                false => std::future::pending().await,
            };
            if let Some(came) = came {
                return Ok(came);
            }
        }
    }

    fn redraw(&mut self) -> io::Result<()> {
        self.terminal.clear().unwrap();
        Ok(())
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.shared.copied.lock().unwrap().push(text.into());
        Ok(())
    }

    fn notify(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.shared.notified.lock().unwrap().extend(bytes);
        Ok(())
    }

    async fn hand_over(&mut self, note: &str) {
        self.shared.notes.lock().unwrap().push(note.into());
        self.ours = false;
    }

    fn take_back(&mut self) -> io::Result<()> {
        self.ours = true;
        Ok(())
    }

    async fn stop(&mut self) -> io::Result<()> {
        self.shared.notes.lock().unwrap().push("stopped".into());
        Ok(())
    }
}

/// A row of cells as text. A wide character has two cells.
fn row(cells: &[ratatui_core::buffer::Cell]) -> String {
    let (mut text, mut skip) = (String::new(), 0);
    for cell in cells {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        text.push_str(cell.symbol());
        skip = crate::text::width::columns(cell.symbol()).saturating_sub(1);
    }
    text.trim_end().to_owned()
}

/// A desk with its scripted companion, its agents and its terminal.
struct TestDesk {
    companion: Companion,
    gemini: Agent,
    qwen: Agent,
    shared: Arc<Shared>,
    input: mpsc::UnboundedSender<ScreenEvent>,
    ended: JoinHandle<(anyhow::Result<Ending>, Option<String>)>,
}

impl TestDesk {
    fn new(width: u16, height: u16) -> Self {
        Self::with_editor(width, height, "false")
    }

    /// Starts a desk. `editor` is a shell command.
    fn with_editor(width: u16, height: u16, editor: &str) -> Self {
        Self::with_options(width, height, editor, Options::default())
    }

    fn with_options(width: u16, height: u16, editor: &str, options: Options) -> Self {
        // Most tests expect the column of agents and reviews.
        Self::with_sidebar(width, height, editor, Some(true), options)
    }

    /// Starts a desk. `sidebar` shows or hides the lists; `None` lets the size decide.
    fn with_sidebar(width: u16, height: u16, editor: &str, sidebar: Option<bool>, options: Options) -> Self {
        let (mut desk, seat) = pair();
        let (input, typed) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared { size: Mutex::new(Size { width, height }), ..Shared::default() });
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut cells =
            Cells { terminal, shared: shared.clone(), input: typed, under_way: false, ours: true };
        let mut app = App::new(options, Palette::new(Theme::Dark, Depth::Sixteen));
        app.set_lists(sidebar);
        let (panic, panicked) = mpsc::unbounded_channel();
        let signals = Signals::listen().unwrap();
        let mut inputs = Inputs { signals, panicked, editor: editor.into(), clock: || NOW, in_tmux: false };
        let ended = tokio::spawn(async move {
            let _panic = panic;
            let ending = run::run(&mut desk, &mut app, &mut cells, &mut inputs).await;
            let words = app.requests_mut().keep_unsent_texts().await;
            let left = matches!(ending, Ok(Ending::Left));
            let words = if left { leaving::words_on_leaving(&app, words) } else { words };
            let ends = if left { leaving::leave(&mut desk, &app).await } else { Vec::new() };
            let said: Vec<_> = words.into_iter().chain(ends).collect();
            (ending, (!said.is_empty()).then(|| said.join("\n")))
        });
        let mut companion = Companion::new(seat, vec!["/shop".into()]);
        let gemini = agent(1, "Gemini CLI", "0.61.0", 0);
        let qwen = agent(2, "Qwen Code", "0.24.4", NOW - 3 * 60_000);
        companion.now = NOW;
        companion.send_status();
        Self { companion, gemini, qwen, shared, input, ended }
    }

    /// Connects both agents, which see two files.
    async fn connect(&mut self) {
        self.companion.status.agents = vec![self.gemini.clone(), self.qwen.clone()];
        self.companion.set_shown_files(&["/shop/basket.py", "/shop/README.md"]);
        self.send_status().await;
    }

    /// Starts a desk at which both agents are connected.
    async fn connected(width: u16, height: u16) -> Self {
        let mut desk = Self::new(width, height);
        desk.connect().await;
        desk
    }

    /// Opens a review of Gemini with these pieces.
    fn open(&mut self, id: u64, file: &str, pieces: &[Piece]) {
        let gemini = self.gemini.clone();
        self.companion.open(id, &gemini, file, pieces);
    }

    /// Opens a review of Gemini, and waits until the desk has it.
    async fn propose(&mut self, id: u64, file: &str) {
        self.open(id, file, &pieces());
        self.deliver_all().await;
    }

    /// Opens a review of Gemini, and waits until keys count.
    async fn propose_and_wait(&mut self, id: u64, file: &str) {
        self.propose(id, file).await;
        self.wait_until_keys_count().await;
    }

    /// Starts a desk with both agents and one review, at which keys count.
    async fn reading(width: u16, height: u16) -> Self {
        let mut desk = Self::connected(width, height).await;
        desk.propose_and_wait(1, "/shop/basket.py").await;
        desk
    }

    /// Opens a review of Gemini with these pieces after `differ` has changed it.
    fn open_unlike(&mut self, id: u64, file: &str, pieces: &[Piece], differ: impl FnOnce(&mut Review)) {
        let mut review = scripted_companion::review(id, &self.gemini, file, pieces);
        differ(&mut review);
        self.companion.open_as(review, pieces);
    }

    /// Sends these problems, and waits until keys count.
    async fn send_problems(&mut self, problems: &[&str]) {
        for what in problems {
            self.companion.send(Event::Problem(Problem { what: (*what).into(), hint: None }));
        }
        self.wait_until_keys_count().await;
    }

    /// Starts a demo with a review on the screen.
    async fn demo(width: u16) -> Self {
        let options = Options { rehearsal: true, ..Options::default() };
        let mut desk = Self::with_options(width, 24, "false", options);
        desk.connect().await;
        desk.propose_and_wait(1, "/shop/basket.py").await;
        desk
    }

    /// Replaces the current text of a changed piece of the first review with an edited text.
    fn edit_piece(&mut self, piece: usize, text: &str) {
        self.companion.change(1, |_, pieces| {
            if let Piece::Differs { state, now, .. } = &mut pieces[piece] {
                (*state, *now) = (HunkState::Edited, text.into());
            }
        });
    }

    /// Lets all pending events and requests arrive, which takes 20 ms of the paused clock.
    async fn deliver_all(&mut self) {
        let until = tokio::time::Instant::now() + Duration::from_millis(20);
        while tokio::time::Instant::now() < until {
            match timeout(Duration::from_millis(1), self.companion.next()).await {
                Ok(Some(call)) => _ = self.companion.answer(call),
                Ok(None) => sleep(Duration::from_millis(1)).await,
                Err(_) => {}
            }
        }
    }

    /// Waits until keys count and messages count as read.
    async fn wait_until_keys_count(&mut self) {
        self.deliver_all().await;
        sleep(Duration::from_millis(400)).await;
        self.deliver_all().await;
    }

    fn send_input(&self, typed: TerminalEvent) {
        // A desk that has ended reads no keys.
        let _ = self.input.send(ScreenEvent::Input(typed));
    }

    async fn input(&mut self, typed: TerminalEvent) {
        self.send_input(typed);
        self.deliver_all().await;
    }

    /// Ends a review for a reason other than this desk's decision.
    async fn close(&mut self, id: u64, closing: Closing) {
        self.companion.close(id, closing, None);
        self.deliver_all().await;
    }

    fn code(&self, code: KeyCode, modifiers: KeyModifiers) {
        self.send_input(TerminalEvent::Key(KeyEvent::new(code, modifiers)));
    }

    /// Presses keys without a pause, and does not wait until they arrive.
    fn press_at_once(&self, keys: &str) {
        for c in keys.chars() {
            self.code(KeyCode::Char(c), KeyModifiers::NONE);
        }
    }

    /// Presses keys without a pause, and waits until all have arrived.
    async fn press_fast(&mut self, keys: &str) {
        self.press_at_once(keys);
        self.deliver_all().await;
    }

    /// Presses keys, and waits after each until it has arrived. Enter and Tab are `\n` and `\t`; Esc,
    /// Backspace, Shift-Tab, arrows and PageDown have signs.
    async fn press(&mut self, keys: &str) {
        for c in keys.chars() {
            let code = match c {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                '⎋' => KeyCode::Esc,
                '⌫' => KeyCode::Backspace,
                '⇤' => KeyCode::BackTab,
                '↓' => KeyCode::Down,
                '↑' => KeyCode::Up,
                '⇟' => KeyCode::PageDown,
                c => KeyCode::Char(c),
            };
            self.key(code).await;
        }
    }

    /// Presses keys, and waits until keys count again.
    async fn press_and_wait(&mut self, keys: &str) {
        self.press(keys).await;
        self.wait_until_keys_count().await;
    }

    /// Presses keys, and asserts that the screen then shows a text.
    #[track_caller]
    fn press_expecting(&mut self, keys: &str, text: &str) -> impl Future<Output = ()> {
        let test = Location::caller();
        async move {
            self.press(keys).await;
            self.assert_shows_at(text, test);
        }
    }

    /// Presses keys, waits until keys count again, and asserts that the screen then shows a text.
    #[track_caller]
    fn press_and_wait_expecting(&mut self, keys: &str, text: &str) -> impl Future<Output = ()> {
        let test = Location::caller();
        async move {
            self.press_and_wait(keys).await;
            self.assert_shows_at(text, test);
        }
    }

    fn assert_shows_at(&self, text: &str, test: &Location<'_>) {
        assert!(self.flat().contains(text), "{test}: {text:?} is not on the screen:\n{}", self.screen());
    }

    async fn key(&mut self, code: KeyCode) {
        self.code(code, KeyModifiers::NONE);
        self.deliver_all().await;
    }

    async fn ctrl(&mut self, c: char) {
        self.code(KeyCode::Char(c), KeyModifiers::CONTROL);
        self.deliver_all().await;
    }

    async fn click(&mut self, column: u16, row: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        self.input(TerminalEvent::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
            .await;
    }

    async fn resize(&mut self, width: u16, height: u16) {
        *self.shared.size.lock().unwrap() = Size { width, height };
        let _ = self.input.send(ScreenEvent::Resized);
        self.deliver_all().await;
    }

    fn screen(&self) -> String {
        self.shared.shown.lock().unwrap().clone()
    }

    /// The screen with slashes in paths on every system. A screen with escapes has other backslashes.
    fn screen_with_slashes(&self) -> String {
        self.screen().replace(std::path::MAIN_SEPARATOR, "/")
    }

    /// The screen in one line, because messages may be wrapped.
    fn flat(&self) -> String {
        self.screen().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn assert_shows(&self, text: &str) {
        self.assert_shows_at(text, Location::caller());
    }

    #[track_caller]
    fn assert_hides(&self, text: &str) {
        assert!(!self.flat().contains(text), "{text:?} is on the screen:\n{}", self.screen());
    }

    async fn send_status(&mut self) {
        self.companion.send_status();
        self.deliver_all().await;
    }

    /// The requests, in order, without those that pause the context or report the focus.
    fn requests(&self) -> Vec<Request> {
        let quiet = |request: &&Request| !matches!(request, Request::Focus | Request::PauseContext { .. });
        self.companion.requests.iter().filter(quiet).cloned().collect()
    }

    async fn ending(self) -> (Ending, Option<String>) {
        let (ending, words) =
            timeout(Duration::from_secs(10), self.ended).await.expect("the desk ends").unwrap();
        (ending.unwrap(), words)
    }
}

fn decided(id: u64, revision: u64, decision: Decision) -> Request {
    Request::DecideReview { id: ReviewId(id), revision, decision }
}

/// The request that keeps or drops changes of the first review.
fn keeps(revision: u64, hunks: &[usize], keep: bool) -> Request {
    Request::KeepHunks { id: ReviewId(1), revision, hunks: hunks.to_vec(), keep }
}

/// The pieces of a file with three changes: one replaces lines, one adds lines after a folded part, one
/// removes lines.
fn pieces() -> Vec<Piece> {
    let unchanged: String = (1..=40).map(|n| format!("# {n}\n")).collect();
    vec![
        same("from decimal import Decimal\n\n\n"),
        differs(
            "def total(items):\n    return sum(i.price for i in items)\n",
            "def total(items, tax):\n    \"\"\"With tax.\"\"\"\n\
             \x20   return sum(i.price for i in items) * tax\n",
        ),
        same("\n\n"),
        same(&unchanged),
        differs("", "def count(items):\n    return len(items)\n\n\n"),
        same("def names(items):\n    return [i.name for i in items]\n"),
        differs("\n\ndef unused():\n    pass\n", ""),
    ]
}
