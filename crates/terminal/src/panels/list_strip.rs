//! The strip: agents, context and reviews in one or two rows, for narrow screens.

use alongside_desk::messages::agent_name;
use alongside_desk::path_fit::shortened;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::drawn_state::{DrawnState, draw_lines};
use super::list_rows::{counts, item_sign, list_extent, listed, review_sign};
use crate::areas::Listed;
use crate::keys::DeskMode;
use crate::text::fit::both_ends;
use crate::text::width;
use crate::words::turn_words;

/// The most columns of a file name in the strip.
const MAX_NAME_COLUMNS: usize = 24;

/// A review, or a file of a turn, in the strip.
struct Item {
    listed: Listed,
    /// The text before the counts.
    label: String,
    counts: (usize, usize),
    is_current: bool,
}

impl Item {
    fn new(drawn: &DrawnState<'_>, index: usize) -> Option<Self> {
        let listed = listed(drawn, index)?;
        Some(match listed {
            Listed::Review(id) => {
                let view = drawn.reviews.view(id)?;
                let name = shortened(&drawn.reviews.file_name(view.review()), MAX_NAME_COLUMNS);
                let label = format!("{}{name} ", review_sign(drawn, view));
                let is_current = drawn.reviews.proposal_id() == Some(id);
                Self { listed, label, counts: view.counts, is_current }
            }
            Listed::File(at) => {
                let files = drawn.reviews.turn().files()?;
                let file = files.all().get(at)?;
                let is_current = files.at() == at;
                let sign = item_sign(is_current, files.is_seen(file));
                let marks = turn_words::marks(files.marked(file)).map(|marks| format!("{marks} "));
                let name = shortened(&turn_words::harmless(&file.path), MAX_NAME_COLUMNS);
                let letter = turn_words::letter(file.change);
                let label = format!("{sign}{letter} {name} {}", marks.unwrap_or_default());
                Self { listed, label, counts: (file.added, file.removed), is_current }
            }
        })
    }

    fn columns(&self) -> usize {
        let (added, removed) = self.counts;
        width::columns(&self.label) + format!("+{added} -{removed}").len() + 1
    }
}

/// The areas of the listed reviews or files in the strip. The item on the screen always has one.
pub(crate) fn clickable_rows(drawn: &DrawnState<'_>, strip: Rect) -> Vec<(Rect, Listed)> {
    let row = Rect { y: strip.bottom().saturating_sub(1), height: 1, ..strip };
    let (all, at) = list_extent(drawn);
    let columns = |index: usize| Item::new(drawn, index).map_or(0, |item| item.columns());
    let room = usize::from(row.width).saturating_sub(12);
    let mut first = at;
    let mut taken = columns(at);
    while first > 0 {
        taken += columns(first - 1);
        if taken > room {
            break;
        }
        first -= 1;
    }
    let mut x = row.x;
    let mut places = Vec::new();
    for item in (first..all).filter_map(|index| Item::new(drawn, index)) {
        let width = u16::try_from(item.columns()).unwrap_or(u16::MAX);
        if usize::from(x.saturating_add(width)) > room && !places.is_empty() {
            break;
        }
        places.push((Rect { x, width, ..row }.intersection(row), item.listed));
        x = x.saturating_add(width);
    }
    places
}

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let (strip, palette) = (drawn.areas.strip, drawn.palette);
    if strip.height > 1 {
        let at_work = |name: &str| {
            let since = drawn.reviews.at_work(name)?;
            Some(format!(" ({})", turn_words::at_work_since(since, drawn.now)))
        };
        let name = |agent: &alongside_desk::Agent| {
            let state = match agent.listening {
                true => at_work(&agent_name(agent)).unwrap_or_default(),
                false => " (away)".to_owned(),
            };
            drawn.reviews.agent(agent) + &state
        };
        let hooks = drawn.reviews.hook_agents().map(|hook| {
            let state = at_work(&hook.name).unwrap_or_else(|| " (by its hook)".to_owned());
            format!("{}{state}", hook.name)
        });
        let agents: Vec<_> = drawn.status().agents.iter().map(name).chain(hooks).collect();
        let agents = if agents.is_empty() { "no agent yet".to_owned() } else { agents.join(", ") };
        let context = match (drawn.status().paused, drawn.status().context.len()) {
            (true, _) => "context paused".to_owned(),
            (false, 0) => "no open file".to_owned(),
            (false, 1) => "agents see 1 file".to_owned(),
            (false, n) => format!("agents see {n} files"),
        };
        let styles = (palette.text, if drawn.status().paused { palette.warning } else { palette.quiet });
        draw_lines(frame, strip, [both_ends(&agents, styles, &context, strip.width)]);
    }
    let row = Rect { y: strip.bottom().saturating_sub(1), height: 1, ..strip };
    for (place, listed) in &drawn.areas.listed {
        let index = match listed {
            Listed::Review(id) => drawn.reviews.all().iter().position(|view| view.review().id == *id),
            Listed::File(file) => Some(*file),
        };
        let Some(item) = index.and_then(|index| Item::new(drawn, index)) else { continue };
        let style = if item.is_current { palette.selected } else { palette.text };
        let label = std::iter::once(Span::styled(item.label, style));
        let line = label.chain(counts(item.counts, palette, style)).chain([Span::styled(" ", style)]);
        frame.render_widget(Line::from_iter(line), *place);
    }
    let (all, _) = list_extent(drawn);
    let hidden = all.saturating_sub(drawn.areas.listed.len());
    let right = match (drawn.reviews.mode(), all, hidden) {
        (DeskMode::Proposals, 0, _) => "no review".to_owned(),
        (DeskMode::Turn, 0, _) => "no change".to_owned(),
        (_, _, 0) => return,
        (DeskMode::Proposals, _, hidden) => format!("{hidden} more: W"),
        // The bottom line names the key of the list of files.
        (DeskMode::Turn, _, hidden) => format!("{hidden} more"),
    };
    frame.render_widget(Line::from(Span::styled(right, palette.quiet)).right_aligned(), row);
}
