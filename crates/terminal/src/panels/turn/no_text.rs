//! The page of a turn review without a text to show: the reason, and the keys that help.

use alongside_desk::Marked;
use ratatui_core::terminal::Frame;

use crate::panels::drawn_state::{DrawnState, draw_words};
use crate::words::comment_words;
use crate::words::finish_words;
use crate::words::turn_words as words;

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    draw_words(drawn, frame, drawn.areas.page, &text(drawn));
}

fn text(drawn: &DrawnState<'_>) -> Vec<String> {
    let Some(files) = drawn.reviews.turn().files() else { return vec![words::LOOKING.into()] };
    let Some(file) = files.file() else {
        let nothing = "Nothing has changed.".to_owned();
        let keys = "r looks again; T goes back to the proposals.".to_owned();
        let is_open = files.turn().comments.iter().any(|comment| comment.state.is_open());
        let open = is_open.then(|| "L lists your open comments, to ask again or to close them.".to_owned());
        return [nothing, String::new(), keys].into_iter().chain(open).collect();
    };
    let why = match (&file.without_text, files.refused()) {
        (Some(why), _) => format!("No text is shown: {}.", words::harmless(why)),
        (None, Some(why)) => why.to_owned(),
        (None, None) => return vec![words::READING.into()],
    };
    let keys = match files.marked(file) {
        Marked::Whole => {
            format!(
                "Marked: {}, once you finish (f). X unmarks it.",
                finish_words::undoing(file, Marked::Whole, None)
            )
        }
        Marked::Nothing if file.without_undo => {
            "It cannot be undone here, and stays as it is. c asks the agent.".to_owned()
        }
        Marked::Nothing | Marked::Hunks(_) => "It stays as it is. X marks all of it to be undone.".to_owned(),
    };
    let comments = comment_words::notes(files.turn(), &file.path);
    let comments = comments.into_iter().flat_map(|note| note.lines).map(|line| words::harmless(&line.text));
    [why, String::new(), keys].into_iter().chain(comments).collect()
}
