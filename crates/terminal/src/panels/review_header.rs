//! The header of the review on the screen: file, agent, size, state, and the notes.

use alongside_desk::path_fit::shortened;
use alongside_desk::review_model::{Note, notes as review_notes};
use alongside_desk::{HunkState, messages};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::drawn_state::{DrawnState, draw_lines};
use super::list_rows::counts;
use crate::areas::Lists;
use crate::review_view::ReviewView;
use crate::text::width;

/// The least columns of a file name.
const MIN_NAME_COLUMNS: usize = 16;

/// The height of the header: a title and the notes. The page keeps two thirds of the rows.
pub(crate) fn height(drawn: &DrawnState<'_>, main: Rect) -> u16 {
    let Some(view) = drawn.reviews.current() else { return 0 };
    let rows = 1 + notes(drawn, view, main.width).len();
    u16::try_from(rows).unwrap_or(u16::MAX).min((main.height / 3).max(1))
}

pub(crate) fn draw(drawn: &DrawnState<'_>, view: &ReviewView, frame: &mut Frame<'_>) {
    let area = drawn.areas.header;
    let mut lines = vec![title(drawn, view, area.width)];
    lines.extend(notes(drawn, view, area.width));
    draw_lines(frame, area, lines);
}

/// The parts of the title, in the order in which they get room. The part that keys act on is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TitlePart {
    Change,
    /// The numbers of kept, dropped and edited changes, if not all are kept.
    States,
    /// Whether the file is new, or will be empty.
    File,
    /// The position of the screen in a change that is larger than the screen, in percent.
    Percent,
    Counts,
    Paused,
    Review,
    /// The visible lines of a change that is larger than the screen.
    Lines,
    Agent,
    AllKept,
}

impl TitlePart {
    /// The parts that stand alone, in the order of the line.
    const IN_LINE: [Self; 6] =
        [Self::Agent, Self::File, Self::Counts, Self::Review, Self::Paused, Self::Change];

    /// Whether two spaces separate the part from the part before it. Other parts bring their own separator.
    fn stands_alone(self) -> bool {
        !matches!(self, Self::States | Self::Lines | Self::Percent | Self::AllKept)
    }
}

fn title(drawn: &DrawnState<'_>, view: &ReviewView, width: u16) -> Line<'static> {
    let (palette, width) = (drawn.palette, usize::from(width));
    let name = drawn.reviews.file_name(view.review());
    let wanted = parts(drawn, view);
    let columns_of =
        |part: TitlePart, text: &str| width::columns(text) + if part.stands_alone() { 2 } else { 0 };
    let least = least_name(&name, width);
    let (mut shown, mut used): (Vec<(TitlePart, &str)>, usize) = (Vec::new(), 0);
    for (part, text) in &wanted {
        // Beside the agent, the name must fit completely. Beside other parts, its least columns are enough.
        let name =
            if matches!(part, TitlePart::Agent | TitlePart::AllKept) { width::columns(&name) } else { least };
        // The lines replace the percent, because they say more.
        let short = if *part == TitlePart::Lines { text_of(&shown, TitlePart::Percent) } else { None };
        let before = used - short.map_or(0, width::columns);
        let has_change = text_of(&shown, TitlePart::Change).is_some();
        if (part.stands_alone() || has_change) && name + before + columns_of(*part, text) <= width {
            used = before + columns_of(*part, text);
            shown.retain(|(other, _)| short.is_none() || *other != TitlePart::Percent);
            shown.push((*part, text.as_str()));
        }
    }
    let mut spans = vec![Span::styled(shortened(&name, width.saturating_sub(used)), palette.heading)];
    for part in TitlePart::IN_LINE {
        let Some(text) = text_of(&shown, part) else { continue };
        let is_joined = part == TitlePart::Counts && text_of(&shown, TitlePart::File).is_some();
        spans.push(Span::raw(if is_joined { ", " } else { "  " }));
        match part {
            TitlePart::Counts => spans.extend(counts(view.counts, palette, palette.text)),
            TitlePart::Review | TitlePart::Paused => {
                spans.push(Span::styled(text.to_owned(), palette.warning))
            }
            TitlePart::File if view.will_be_empty() => {
                spans.push(Span::styled(text.to_owned(), palette.warning))
            }
            TitlePart::Change => {
                let before: usize = spans.iter().map(|span| width::columns(&span.content)).sum();
                let joined = [TitlePart::Lines, TitlePart::Percent, TitlePart::States, TitlePart::AllKept];
                let text: String = std::iter::once(text)
                    .chain(joined.iter().filter_map(|part| text_of(&shown, *part)))
                    .collect();
                let gap = " ".repeat(width.saturating_sub(before + width::columns(&text)));
                spans.extend([Span::raw(gap), Span::styled(text, palette.quiet)]);
            }
            _ => spans.push(Span::styled(text.to_owned(), palette.text)),
        }
    }
    Line::from(spans)
}

/// The parts that a title could have, in the order in which they get room.
fn parts(drawn: &DrawnState<'_>, view: &ReviewView) -> Vec<(TitlePart, String)> {
    let review = view.review();
    let is_new = review.original.is_none() && review.whole_file_only.is_none();
    let is_hidden = drawn.areas.lists == Lists::Hidden;
    let all = drawn.reviews.all().len();
    let states = messages::hunk_states(review);
    let is_mixed = review.hunks.iter().any(|hunk| hunk.state != HunkState::Kept);
    let states = (!states.is_empty()).then(|| format!(": {states}"));
    let place = view.place();
    let change = match (review.hunks.len(), &place) {
        (0, None) => None,
        (0, Some(_)) => Some(String::new()),
        (hunks, _) => Some(format!("change {} of {hunks}", view.hunk() + 1)),
    };
    let comma = if review.hunks.is_empty() { "" } else { ", " };
    let lines = place.as_ref().map(|(lines, all)| {
        let [first, last, all] = [lines.start, lines.end.saturating_sub(1), *all].map(thousands);
        format!("{comma}lines {first}-{last} of {all}")
    });
    let percent =
        place.map(|(lines, all)| format!("{comma}{}%", lines.end.saturating_sub(1) * 100 / all.max(1)));
    let file = match (is_new, view.will_be_empty()) {
        (true, _) => Some("new file".to_owned()),
        (false, true) => Some("the file will be empty".to_owned()),
        (false, false) if review.hunks.is_empty() => messages::other_form(review).map(str::to_owned),
        (false, false) => None,
    };
    let at = drawn.reviews.index().map_or(0, |at| at + 1);
    let parts = [
        (TitlePart::Change, change),
        (TitlePart::States, states.clone().filter(|_| is_mixed)),
        (TitlePart::File, file),
        (TitlePart::Percent, percent),
        (TitlePart::Counts, Some(view.size_words())),
        (TitlePart::Paused, (is_hidden && drawn.status().paused).then(|| "paused".to_owned())),
        (TitlePart::Review, (is_hidden && all > 1).then(|| format!("review {at} of {all}"))),
        (TitlePart::Lines, lines),
        (TitlePart::Agent, Some(drawn.reviews.agent(&review.agent))),
        (TitlePart::AllKept, states.filter(|_| !is_mixed)),
    ];
    parts.into_iter().filter_map(|(part, text)| Some((part, text?))).collect()
}

fn text_of<'a>(shown: &[(TitlePart, &'a str)], wanted: TitlePart) -> Option<&'a str> {
    shown.iter().find(|(part, _)| *part == wanted).map(|(_, text)| *text)
}

/// The least columns of a name: the columns of the file without its directories, within limits.
fn least_name(name: &str, width: usize) -> usize {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let whole = width::columns(name);
    // The `…` for omitted directories and the separator need two columns.
    whole.min((width::columns(file) + 2).max(MIN_NAME_COLUMNS).min((width / 2).max(MIN_NAME_COLUMNS)))
}

/// A number with a comma between thousands.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits
        .char_indices()
        .flat_map(|(at, digit)| comma(at).then_some(',').into_iter().chain([digit]))
        .collect()
}

/// The remark after the notes, if the file has changed on disk.
const CHANGE_NOT_SHOWN: &str = "The change on disk is not shown: this is the file as the agent saw it.";

fn notes(drawn: &DrawnState<'_>, view: &ReviewView, width: u16) -> Vec<Line<'static>> {
    let not_shown = view.review().stale.then(|| Note::info(CHANGE_NOT_SHOWN));
    let notes = review_notes(view.review(), drawn.reviews.roots());
    drawn.notes(notes.into_iter().chain(not_shown), width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_kept_apart() {
        let numbers = [0, 999, 1_000, 12_345, 1_234_567].map(thousands);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn a_name_keeps_its_file() {
        assert_eq!(least_name("a.py", 60), 4);
        assert_eq!(least_name("src/checkout/payment.py", 60), 16);
        assert_eq!(least_name("src/checkout/payments_of_cards.py", 60), 22);
        assert_eq!(least_name(&"x".repeat(90), 60), 30);
    }
}
