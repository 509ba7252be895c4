//! The letters that go through a review: to the next page, to a change by its number or a text, and to the
//! lines that were not printed yet.

use super::due::Due;
use super::find::Search;
use super::letters::At;
use super::printed::Unseen;
use super::prompts;
use super::reading::Reading;

/// Shows the next page of a long change.
pub(super) fn show_next_page(reading: &mut Reading) {
    match reading.paging().advance() {
        true => reading.mark_due(Due::Place),
        false => reading.say(prompts::NO_NEXT_PAGE),
    }
}

/// Shows the first lines that were not printed yet.
pub(super) fn show_unseen(reading: &mut Reading) {
    match reading.current().map(|open| reading.printed().next_unseen(open)) {
        Some(Unseen::From(hunk, spot)) => {
            reading.show_hunk(hunk);
            reading.paging().begin_at(spot);
        }
        Some(Unseen::OnlyCut(hunk)) => {
            reading.say(prompts::ONLY_CUT);
            reading.show_hunk(hunk);
        }
        Some(Unseen::NextPage) | None => show_next_page(reading),
    }
}

/// Shows the hunk with this number, counted from 1.
pub(super) fn show_hunk_numbered(reading: &mut Reading, number: &str) {
    let Some(open) = reading.current() else { return };
    match prompts::index_of(number, open.review().hunks.len()) {
        Ok(hunk) => reading.show_hunk(hunk),
        Err(answer) => reading.say(&answer),
    }
}

/// Shows the next hunk that contains a text. An empty text repeats the latest search.
pub(super) fn find(reading: &mut Reading, search: &mut Search, text: &str) {
    let Some(open) = reading.current() else { return };
    let (found, answer) = search.next(open.review(), open.hunk(), text);
    reading.say(&answer);
    if let Some(hunk) = found {
        reading.show_hunk(hunk);
    }
}

/// Shows the place after an edit. After the last change, shows the first edited hunk that was not printed.
pub(super) fn show_edited(reading: &mut Reading) {
    let at_end = reading.current().filter(|open| At::of(open) == At::End);
    match at_end.and_then(|open| reading.printed().first_unseen_edit(open.review())) {
        Some(hunk) => reading.show_hunk(hunk),
        None => reading.mark_due(Due::Place),
    }
}
