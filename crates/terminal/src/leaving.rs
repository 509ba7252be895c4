//! Leaves the companion, and builds the last sentences of the desk: where reviews stay open, and how each
//! review ends that no other party keeps open.

use alongside_desk::review_model::Subject;
use alongside_desk::review_model::comment_state::waits_on;
use alongside_desk::{Desk, Event, Request, messages};
use tokio::time::{Duration, timeout};

use crate::app::App;
use crate::turn_files::TurnFiles;
use crate::words::turn_words;

/// The time for which the desk waits for the companion's reply to its leaving. A frozen companion sends none.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(1);

/// Leaves the companion. Returns a sentence for each review that ends because of that. A desk that is dropped
/// without a `Leave` counts as away, and the host waits for it.
pub(crate) async fn leave(desk: &mut Desk, app: &App) -> Vec<String> {
    // The end of the events is the reply.
    drop(desk.send(Request::Leave));
    let mut ends = Vec::new();
    while let Ok(Ok(event)) = timeout(GOODBYE_TIMEOUT, desk.next()).await {
        if let Event::Closed(closed) = event
            && let Some(end) = app.requests().reviews().end_message(&closed)
            && !app.options().rehearsal
        {
            ends.push(end.text);
        }
    }
    ends
}

/// The last lines of a desk that the person leaves: where reviews stay open, and that comments wait. `last`
/// comes last.
pub(crate) fn words_on_leaving(app: &App, last: Option<String>) -> Option<String> {
    let reviews = app.requests().reviews();
    let comments = reviews.turn().files().and_then(|files| waits_on(&files.turn().comments));
    let lines: Vec<_> = reviews.stays_open_message().into_iter().chain(comments).chain(last).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The last lines of a desk that ends because the companion did. `last` comes last.
pub(crate) fn parting_words(app: &App, last: Option<String>) -> String {
    if app.options().rehearsal {
        // Every demo ends because its companion ends, so the person needs no message about that.
        return last.unwrap_or_default();
    }
    // These lines name a command for the waiting turn, because the keys of the desk do nothing in a shell.
    let others = app.out().messages.iter().filter(|message| message.about != Some(Subject::Turn));
    let said = others.map(|message| message.text.clone());
    let turn = app.requests().reviews().turn().files().map(TurnFiles::turn);
    let turn = turn.filter(|turn| !turn.files.is_empty()).map(turn_words::waits_outside);
    let lines = std::iter::once(messages::COMPANION_STOPPED.to_owned()).chain(said).chain(turn).chain(last);
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Baseline, Turn, TurnFile, TurnId};

    use super::*;
    use crate::palette::{Depth, Palette};
    use crate::{Options, Theme};

    #[tokio::test]
    async fn a_desk_whose_companion_stops_names_a_command_and_no_key() {
        let mut app = App::new(Options::default(), Palette::new(Theme::Dark, Depth::None));
        let baseline = Baseline { name: "the end of the last turn of Codex".into(), ..Baseline::default() };
        let (root, files) = ("/p".into(), vec![TurnFile::default()]);
        app.take_event(Event::Turn(Turn { id: TurnId(1), root, baseline, files, ..Turn::default() }));
        let waits = "1 file changed since the end of the last turn of Codex; `alongside --since` shows it.";
        let said = format!("{}\nA turn waits: {waits}", messages::COMPANION_STOPPED);
        assert_eq!(parting_words(&app, None), said);
    }
}
