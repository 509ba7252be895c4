//! The screen without a review: sentences about the next steps.

use alongside_desk::agent_setup::SettingsOffer;
use alongside_desk::harmless;
use ratatui_core::terminal::Frame;

use super::drawn_state::{DrawnState, draw_words};
use crate::words::messages;
use crate::words::turn_words;

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let mut text = text(drawn);
    if let Some(files) = drawn.reviews.turn().files() {
        let at_work = drawn.reviews.at_work_words(drawn.now);
        let waits = (!files.all().is_empty()).then(|| turn_words::waits_here(files.turn(), drawn.now));
        text.extend(at_work.into_iter().chain(waits).flat_map(|said| [String::new(), said]));
    }
    draw_words(drawn, frame, drawn.areas.main, &text);
}

/// Returns the lines of the screen. An agent that is not set up is named only while no agent is connected, or
/// if it is connected and writes without asking.
fn text(drawn: &DrawnState<'_>) -> Vec<String> {
    let (agents, offers) = (&drawn.status().agents, drawn.offers);
    let hooks: Vec<_> = drawn.reviews.hook_agents().collect();
    if agents.is_empty() && hooks.is_empty() {
        let mut text = match (drawn.started, SettingsOffer::unconnected(offers)) {
            (Some(agent), _) => messages::was_started(agent),
            (None, Some(names)) => messages::ide_mode_is_off(&names),
            (None, None) => lines(messages::NO_AGENT),
        };
        let roots: Vec<_> = drawn.reviews.roots().iter().map(|root| harmless::path(root)).collect();
        text.extend([String::new(), format!("Project: {}", roots.join(", "))]);
        return text;
    }
    if drawn.status().context_only {
        return lines(messages::CONTEXT_ONLY);
    }
    // If all known hooks only record turns, the screen does not promise that changes wait for a decision.
    let proposes = !agents.is_empty() || hooks.iter().any(|hook| hook.proposes);
    let mut text = lines(if proposes { messages::NO_REVIEW } else { messages::NO_PROPOSAL });
    for hook in hooks {
        text.extend([String::new(), messages::by_hook(hook)]);
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
