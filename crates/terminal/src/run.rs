//! The one loop: whatever comes first, from the companion, the person, the system or the editor, changes what
//! the desk knows, and what is due is drawn when nothing else is to be done. Nothing in it waits: the
//! terminal is written to by a thread, and answers come when they come.

use std::io;
use std::process::ExitStatus;

use alongside_desk::{Desk, Gone, Refusal, Revised};
use crossterm::event::Event as Typed;
use ratatui::layout::Size;
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep, sleep_until, timeout};

use crate::Ending;
use crate::app::{App, Effect, Picture, Purpose};
use crate::editor::Editing;
use crate::signals::{Asked, Signals};
use crate::texts;

/// How often an open editor's file is looked at for something that was saved.
const SAVED_EVERY: Duration = Duration::from_secs(1);

/// How often the screen is drawn though nothing happens: it says how long agents have been there.
const DRAWN_EVERY: Duration = Duration::from_secs(30);

/// The longest that a stream of events keeps the screen from being drawn.
const OVERDUE: Duration = Duration::from_millis(50);

/// How long a terminal that fails may take to say that it was closed.
const HANGS_UP: Duration = Duration::from_millis(200);

/// How long a signal that ends the desk waits for text that is on its way to the companion.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

/// What the loop needs of a terminal.
pub(crate) trait Screen {
    /// How big it is now.
    fn size(&self) -> Size;
    /// Whether a frame can be drawn: it is ours, and the one before has been written.
    fn is_ready(&self) -> bool;
    /// Draws a frame; [`FromScreen::Written`] follows.
    fn draw(&mut self, app: &App) -> io::Result<()>;
    /// The next thing that comes from it. Cancel safe.
    async fn next(&mut self) -> io::Result<FromScreen>;
    /// The next frame draws every cell anew.
    fn redraw(&mut self) -> io::Result<()>;
    /// Puts a text into the clipboard, where the terminal allows that.
    fn copy(&mut self, text: &str) -> io::Result<()>;
    /// Gives it to an editor, with a line that says so.
    async fn hand_over(&mut self, note: &str);
    /// Takes it back, also from somebody who took it unasked.
    fn take_back(&mut self) -> io::Result<()>;
    /// Gives it back, stops the process until the shell continues it, and takes it again.
    async fn stop(&mut self) -> io::Result<()>;
}

/// What comes from a terminal.
#[derive(Debug)]
pub(crate) enum FromScreen {
    /// The last frame has been written.
    Written,
    /// It has another size.
    Resized,
    /// The person did something.
    Typed(Typed),
    /// Nothing of interest.
    Nothing,
}

/// What the loop waits for besides the desk and the screen.
pub(crate) struct Around {
    pub(crate) signals: Signals,
    /// Something in this process has panicked and the terminal was given back.
    pub(crate) panicked: mpsc::UnboundedReceiver<()>,
    /// The person's editor, as a shell command.
    pub(crate) editor: String,
    /// Milliseconds since the Unix epoch.
    pub(crate) clock: fn() -> u64,
}

/// What came first.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is kept nowhere")]
enum Came {
    Signal(Asked),
    Event(Result<alongside_desk::Event, Gone>),
    Answer(Purpose, Result<Revised, Refusal>),
    Screen(io::Result<FromScreen>),
    Editor(io::Result<ExitStatus>),
    Look,
    Colours,
    Panic,
    Minute,
    Draw,
}

/// Works until somebody or something ends it.
///
/// # Errors
/// When the terminal cannot be used any more.
pub(crate) async fn run(
    desk: &mut Desk,
    app: &mut App,
    screen: &mut impl Screen,
    around: &mut Around,
) -> anyhow::Result<Ending> {
    let (answer, mut answers) = mpsc::unbounded_channel();
    let mut pictured: Option<Picture> = None;
    let mut drawn = Instant::now();
    let mut due_since = None;
    // The companion has stopped; the desk stays for an editor that is still open.
    let mut gone = false;
    // Whoever opens a desk has turned to it.
    app.focus(drawn);
    loop {
        let due = app.due && screen.is_ready();
        let editing = app.editing.is_some();
        due_since = due_since.filter(|_| due).or_else(|| due.then(Instant::now));
        let came = if due_since.is_some_and(|since| since.elapsed() > OVERDUE) {
            Came::Draw
        } else {
            tokio::select! {
                biased;
                asked = around.signals.next() => Came::Signal(asked),
                event = desk.next(), if !gone => Came::Event(event),
                Some((purpose, answer)) = answers.recv() => Came::Answer(purpose, answer),
                status = editor_ended(&mut app.editing), if app.ended.is_none() => Came::Editor(status),
                from = screen.next() => Came::Screen(from),
                Some(()) = around.panicked.recv() => Came::Panic,
                () = app.colours.changed() => Came::Colours,
                () = sleep(SAVED_EVERY), if editing => Came::Look,
                () = sleep_until(drawn + DRAWN_EVERY), if !app.due && !app.status.agents.is_empty() => Came::Minute,
                () = std::future::ready(()), if due => Came::Draw,
            }
        };
        // A closed window is an error here and a signal there, in any order.
        let came = match came {
            Came::Screen(Err(error)) => match timeout(HANGS_UP, around.signals.end()).await {
                Ok(asked) => Came::Signal(asked),
                Err(_) => return Err(error.into()),
            },
            came => came,
        };
        match came {
            // The terminal sends Ctrl-C to the editor too, and there it means something else.
            Came::Signal(Asked::Interrupt) if app.editing.is_some() => {}
            Came::Signal(Asked::Interrupt) => return Ok(Ending::Signal(2)),
            Came::Signal(Asked::End(signal)) => {
                app.take_over_saved();
                send(app, desk, &answer);
                let confirmed = async {
                    while app.is_waited_for()
                        && let Some((purpose, answer)) = answers.recv().await
                    {
                        app.answered(purpose, answer);
                    }
                };
                // What is not confirmed by then is kept where it can be found.
                let _ = timeout(LAST_ANSWERS, confirmed).await;
                return Ok(Ending::Signal(signal));
            }
            Came::Signal(Asked::GoOn) if app.editing.is_some() => {}
            Came::Signal(Asked::GoOn) => {
                screen.take_back()?;
                app.unasked();
            }
            Came::Event(Ok(event)) => app.told(event),
            Came::Event(Err(Gone)) if app.editing.is_some() => gone = true,
            Came::Event(Err(Gone)) => return Ok(Ending::Gone),
            Came::Answer(purpose, answer) => app.answered(purpose, answer),
            Came::Screen(from) => match from? {
                FromScreen::Written => {
                    if let Some(picture) = pictured.take() {
                        app.stands(picture, Instant::now());
                    }
                }
                FromScreen::Resized => app.due = true,
                FromScreen::Typed(typed) => app.typed(typed, Instant::now()),
                FromScreen::Nothing => {}
            },
            Came::Editor(status) => {
                if let Some(editing) = &mut app.editing {
                    editing.give_back_terminal();
                }
                screen.take_back()?;
                app.editor_ended(status);
                if gone {
                    return Ok(Ending::Gone);
                }
            }
            Came::Look => app.take_over_saved(),
            Came::Colours | Came::Minute => app.due = true,
            Came::Panic => {
                screen.take_back()?;
                app.warn("Something failed in here. That is a bug; what you see may be wrong.");
            }
            Came::Draw => {
                app.now = (around.clock)();
                app.arrange(screen.size());
                pictured = Some(app.picture());
                screen.draw(app)?;
                app.due = false;
                drawn = Instant::now();
            }
        }
        if carry_out(app, desk, screen, &answer, &around.editor).await? {
            return Ok(Ending::Left);
        }
    }
}

async fn editor_ended(editing: &mut Option<Editing>) -> io::Result<ExitStatus> {
    match editing {
        Some(editing) => editing.ended().await,
        None => std::future::pending().await,
    }
}

type Answers = mpsc::UnboundedSender<(Purpose, Result<Revised, Refusal>)>;

/// Sends the requests that are due; everything else stays.
fn send(app: &mut App, desk: &Desk, answer: &Answers) {
    for effect in app.take_effects() {
        match effect {
            Effect::Ask(request, purpose) => ask(desk, request, purpose, answer),
            other => app.effects.push(other),
        }
    }
}

/// Waits for the terminal, and hears the companion meanwhile: an agent that takes a text waits for no
/// terminal.
async fn meanwhile<T>(app: &mut App, desk: &mut Desk, answer: &Answers, done: impl Future<Output = T>) -> T {
    tokio::pin!(done);
    loop {
        tokio::select! {
            biased;
            done = &mut done => return done,
            Ok(event) = desk.next() => {
                app.told(event);
                send(app, desk, answer);
            }
            else => return done.await,
        }
    }
}

fn ask(desk: &Desk, request: alongside_desk::Request, purpose: Purpose, answer: &Answers) {
    let answered = desk.send(request);
    let answer = answer.clone();
    tokio::spawn(async move {
        // A loop that has ended takes no answers.
        let _ = answer.send((purpose, answered.await.unwrap_or(Err(Refusal::Stopped))));
    });
}

/// Does what the state asks for; true if the desk is to be left.
async fn carry_out(
    app: &mut App,
    desk: &mut Desk,
    screen: &mut impl Screen,
    answer: &Answers,
    editor: &str,
) -> io::Result<bool> {
    for effect in app.take_effects() {
        match effect {
            Effect::Ask(request, purpose) => ask(desk, request, purpose, answer),
            Effect::Copy(text) => screen.copy(&text)?,
            Effect::Redraw => {
                screen.redraw()?;
                app.due = true;
            }
            Effect::Stop => {
                meanwhile(app, desk, answer, screen.stop()).await?;
                app.unasked();
            }
            Effect::Leave => return Ok(true),
            Effect::Edit => edit(app, desk, screen, answer, editor).await?,
        }
    }
    Ok(false)
}

/// Gives the text that is read, and the terminal, to the person's editor.
async fn edit(
    app: &mut App,
    desk: &mut Desk,
    screen: &mut impl Screen,
    answer: &Answers,
    editor: &str,
) -> io::Result<()> {
    let Some(reading) = app.reading() else { return Ok(()) };
    let name = texts::file_name(&reading.review.file, app.roots());
    let (id, note) =
        (reading.review.id, format!("{name} is open in your editor; the desk is back when that ends."));
    meanwhile(app, desk, answer, screen.hand_over(&note)).await;
    // It may have ended meanwhile.
    let Some(reading) = app.review(id) else { return screen.take_back() };
    match Editing::start(editor, &reading.review, reading.hunk) {
        Ok(editing) => app.editing = Some(editing),
        Err(error) => {
            screen.take_back()?;
            app.warn(alongside_desk::harmless::name(&format!("{error:#}")).into_owned());
        }
    }
    Ok(())
}
