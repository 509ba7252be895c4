//! The screen without a review: what to do next.

use alongside_desk::agent_setup::Offer;
use alongside_desk::harmless;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::scene::{Scene, draw_lines};
use crate::messages;
use crate::text_fit::wrapped;
use crate::turn_words;

pub(crate) fn draw(scene: &Scene<'_>, frame: &mut Frame<'_>) {
    let (main, palette) = (scene.areas.main, scene.palette);
    let width = main.width.saturating_sub(4);
    let mut text = text(scene);
    if let Some(files) = scene.reviews.turn().files().filter(|files| !files.all().is_empty()) {
        text.extend([String::new(), turn_words::waits_here(files.turn(), scene.now)]);
    }
    let rows: Vec<_> = text.iter().flat_map(|line| wrapped(line, usize::from(width))).collect();
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let y = main.y + main.height.saturating_sub(height) / 3;
    let area = Rect { x: main.x + 2, y, width, height }.intersection(main);
    let lines = rows
        .into_iter()
        .enumerate()
        .map(|(index, row)| Line::styled(row, if index == 0 { palette.heading } else { palette.text }));
    draw_lines(frame, area, lines);
}

/// The lines of the screen; of agents that are not set up, the ones that matter now.
fn text(scene: &Scene<'_>) -> Vec<String> {
    let (agents, offers) = (&scene.status().agents, scene.offers);
    let hooks: Vec<_> = scene.reviews.hook_agents().collect();
    if agents.is_empty() && hooks.is_empty() {
        let mut text = match Offer::unconnected(offers) {
            Some(names) => messages::ide_mode_is_off(&names),
            None => lines(messages::NO_AGENT),
        };
        let roots: Vec<_> = scene.reviews.roots().iter().map(|root| harmless::path(root)).collect();
        text.extend([String::new(), format!("Project: {}", roots.join(", "))]);
        return text;
    }
    if scene.status().context_only {
        return lines(messages::CONTEXT_ONLY);
    }
    let mut text = lines(messages::NO_REVIEW);
    if !hooks.is_empty() {
        text.extend([String::new(), messages::by_hook(&hooks)]);
    }
    let mut without_asking = offers.iter().filter(|offer| !offer.connects);
    if let Some(offer) = without_asking.find(|offer| agents.iter().any(|agent| agent.name == offer.agent)) {
        text.extend([
            String::new(),
            offer.fact.clone(),
            "Press i to see the change that makes it ask.".into(),
        ]);
    }
    text
}

fn lines(text: &[&str]) -> Vec<String> {
    text.iter().map(|line| (*line).to_owned()).collect()
}
