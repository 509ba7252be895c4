//! Agents, context and reviews in one or two lines, for narrow screens.

use alongside_desk::messages::agent_name;
use alongside_desk::path_fit::shortened;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::list_rows::{counts, extent, listed, mark, place_mark};
use super::scene::{Scene, draw_lines};
use crate::areas::Listed;
use crate::keys::DeskMode;
use crate::text::fit::both_ends;
use crate::text::width;
use crate::words::turn_words;

/// The widest a file name gets here.
const NAME: usize = 24;

/// A review, or a file of a turn, in the strip.
struct Item {
    listed: Listed,
    /// Without its counts.
    label: String,
    counts: (usize, usize),
    is_current: bool,
}

impl Item {
    fn new(scene: &Scene<'_>, index: usize) -> Option<Self> {
        let listed = listed(scene, index)?;
        Some(match listed {
            Listed::Review(id) => {
                let view = scene.reviews.view(id)?;
                let name = shortened(&scene.reviews.file_name(view.review()), NAME);
                let label = format!("{}{name} ", mark(scene, view));
                let is_current = scene.reviews.at() == Some(id);
                Self { listed, label, counts: view.counts, is_current }
            }
            Listed::File(at) => {
                let files = scene.reviews.turn().files()?;
                let file = files.all().get(at)?;
                let is_current = files.at() == at;
                let mark = place_mark(is_current, files.is_seen(file));
                let marks = turn_words::marks(files.marked(file)).map(|marks| format!("{marks} "));
                let name = shortened(&turn_words::path(&file.path), NAME);
                let letter = turn_words::letter(file.change);
                let label = format!("{mark}{letter} {name} {}", marks.unwrap_or_default());
                Self { listed, label, counts: (file.added, file.removed), is_current }
            }
        })
    }

    fn columns(&self) -> usize {
        let (added, removed) = self.counts;
        width::columns(&self.label) + format!("+{added} -{removed}").len() + 1
    }
}

/// The places of reviews; the one on the screen is always among them.
pub(crate) fn places(scene: &Scene<'_>, strip: Rect) -> Vec<(Rect, Listed)> {
    let row = Rect { y: strip.bottom().saturating_sub(1), height: 1, ..strip };
    let (all, at) = extent(scene);
    let columns = |index: usize| Item::new(scene, index).map_or(0, |item| item.columns());
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
    for item in (first..all).filter_map(|index| Item::new(scene, index)) {
        let width = u16::try_from(item.columns()).unwrap_or(u16::MAX);
        if usize::from(x.saturating_add(width)) > room && !places.is_empty() {
            break;
        }
        places.push((Rect { x, width, ..row }.intersection(row), item.listed));
        x = x.saturating_add(width);
    }
    places
}

pub(crate) fn draw(scene: &Scene<'_>, frame: &mut Frame<'_>) {
    let (strip, palette) = (scene.areas.strip, scene.palette);
    if strip.height > 1 {
        let at_work = |name: &str| {
            let since = scene.reviews.at_work(name)?;
            Some(format!(" ({})", turn_words::at_work_since(since, scene.now)))
        };
        let name = |agent: &alongside_desk::Agent| {
            let state = match agent.listening {
                true => at_work(&agent_name(agent)).unwrap_or_default(),
                false => " (away)".to_owned(),
            };
            scene.reviews.agent(agent) + &state
        };
        let hooks = scene.reviews.hook_agents().map(|hook| {
            let state = at_work(&hook.name).unwrap_or_else(|| " (by its hook)".to_owned());
            format!("{}{state}", hook.name)
        });
        let agents: Vec<_> = scene.status().agents.iter().map(name).chain(hooks).collect();
        let agents = if agents.is_empty() { "no agent yet".to_owned() } else { agents.join(", ") };
        let context = match (scene.status().paused, scene.status().context.len()) {
            (true, _) => "context paused".to_owned(),
            (false, 0) => "no open file".to_owned(),
            (false, 1) => "agents see 1 file".to_owned(),
            (false, n) => format!("agents see {n} files"),
        };
        let styles = (palette.text, if scene.status().paused { palette.warning } else { palette.quiet });
        draw_lines(frame, strip, [both_ends(&agents, styles, &context, strip.width)]);
    }
    let row = Rect { y: strip.bottom().saturating_sub(1), height: 1, ..strip };
    for (place, listed) in &scene.areas.listed {
        let index = match listed {
            Listed::Review(id) => scene.reviews.all().iter().position(|view| view.review().id == *id),
            Listed::File(file) => Some(*file),
        };
        let Some(item) = index.and_then(|index| Item::new(scene, index)) else { continue };
        let style = if item.is_current { palette.selected } else { palette.text };
        let label = std::iter::once(Span::styled(item.label, style));
        let line = label.chain(counts(item.counts, palette, style)).chain([Span::styled(" ", style)]);
        frame.render_widget(Line::from_iter(line), *place);
    }
    let (all, _) = extent(scene);
    let hidden = all.saturating_sub(scene.areas.listed.len());
    let right = match (scene.reviews.mode(), all, hidden) {
        (DeskMode::Proposals, 0, _) => "no review".to_owned(),
        (DeskMode::Turn, 0, _) => "no change".to_owned(),
        (_, _, 0) => return,
        (DeskMode::Proposals, _, hidden) => format!("{hidden} more: W"),
        // The bottom line names the key of their list.
        (DeskMode::Turn, _, hidden) => format!("{hidden} more"),
    };
    frame.render_widget(Line::from(Span::styled(right, palette.quiet)).right_aligned(), row);
}
