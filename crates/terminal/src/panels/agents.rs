//! The panel of agents: name, version, and the age of the connection. Instead of the age, the row may say
//! that the agent is at work, away, or known by its hook only.

use alongside_desk::harmless;
use alongside_desk::messages::agent_name;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::drawn_state::{DrawnState, draw_lines};
use crate::text::fit::{beginning, both_ends};
use crate::text::width;
use crate::words::messages;
use crate::words::turn_words;

/// The text beside an agent that is not connected, and is known by its hook.
const BY_HOOK: &str = "by its hook";

/// The rows that the panel needs, with the empty row below it.
pub(crate) fn height(drawn: &DrawnState<'_>) -> u16 {
    let agents = drawn.status().agents.len() + drawn.reviews.hook_agents().count();
    u16::try_from(agents.max(1) + 2).unwrap_or(u16::MAX)
}

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let (area, palette) = (drawn.areas.agents, drawn.palette);
    let mut lines = vec![drawn.title("Agents")];
    if drawn.status().agents.is_empty() && drawn.reviews.hook_agents().next().is_none() {
        lines.push(Line::styled("none yet", palette.quiet));
    }
    for agent in &drawn.status().agents {
        let at_work = drawn.reviews.at_work(&agent_name(agent));
        let (style, since) = match (agent.listening, at_work) {
            (false, _) => (palette.quiet, "away".into()),
            (true, Some(since)) => (palette.text, turn_words::at_work_since(since, drawn.now)),
            (true, None) => (palette.text, messages::ago(agent.since, drawn.now)),
        };
        // The version is left out if it does not fit: a cut version would read as another version.
        let room = usize::from(area.width).saturating_sub(since.len() + 1);
        let name = drawn.reviews.agent(agent);
        let with_version = format!("{name} {}", harmless::name(&agent.version));
        let name = if width::columns(&with_version) <= room { with_version } else { name };
        lines.push(both_ends(beginning(&name, room).trim_end(), (style, palette.quiet), &since, area.width));
    }
    for hook in drawn.reviews.hook_agents() {
        let at_work = drawn.reviews.at_work(&hook.name);
        let how = at_work.map_or(BY_HOOK.into(), |since| turn_words::at_work_since(since, drawn.now));
        let name = beginning(&hook.name, usize::from(area.width).saturating_sub(how.len() + 1));
        lines.push(both_ends(name.trim_end(), (palette.text, palette.quiet), &how, area.width));
    }
    let more = lines.len().saturating_sub(usize::from(area.height));
    if more > 0 && area.height > 1 {
        lines.truncate(usize::from(area.height) - 1);
        lines.push(Line::styled(format!("and {} more", more + 1), palette.quiet));
    }
    draw_lines(frame, area, lines);
}
