//! `alongside comments`: prints the comments on turns that wait for an agent, copies them, or pastes them.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use alongside_common::failure::{Hint, failure, words};
use alongside_companion::turns::source::Feedback;
use alongside_desk::review_model::comment_state::not_sent;
use alongside_desk::{Comment, CommentState, Side, TurnMessage, harmless};
use alongside_terminal::AgentPane;
use alongside_turns::{Claimed, Delivery, TurnDirs, claim_for_person, feedback_in, running_agent, sent_text};
use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;
use serde_json::json;

use super::agent_pane;

/// The most lines of code that are printed with a comment.
const MAX_CODE_LINES: usize = 10;
const NOTHING_WAITS: &str =
    "No comment waits here. `alongside --since` shows what has changed, for you to comment on.\n";
const COPIED: &str = "Copied. Paste it into your agent: nothing else sends it now.\n\
    If your clipboard lacks it, `alongside comments --sent` prints it.\n";

const CURRENT_LINES_NOTE: &str =
    "The text of this message was not kept: the lines that it names are those of now.";

/// Show the comments on turns that no agent has read
///
/// You write comments at a desk, such as `alongside --since`, and send them when you finish the review. Those
/// that an agent has read are listed with what has become of them, up to the next round.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A directory in the working tree
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Print all of the message that was sent last, or of this one, whether an agent has read it or not
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, conflicts_with = "json")]
    sent: Option<Option<u64>>,

    /// Copy all that waits to the clipboard of your terminal, to paste it into an agent: nothing else sends
    /// it then. With `--sent`, copy the message that was sent last
    #[arg(long, conflicts_with = "json")]
    copy: bool,

    /// Paste all that waits into the agent's pane in tmux, WezTerm or kitty, without Enter: nothing else
    /// sends it then
    #[arg(long, conflicts_with_all = ["json", "sent", "copy"])]
    paste: bool,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    tokio::task::spawn_blocking(move || answer(&args)).await??;
    Ok(ExitCode::SUCCESS)
}

fn answer(args: &Args) -> anyhow::Result<()> {
    let places = TurnDirs::of_this_process();
    let found = feedback_in(&places, &args.directory);
    let (root, feedback) = found.hint("name a directory in a working tree: alongside comments DIR")?;
    if args.copy && !std::io::stdout().is_terminal() {
        return Err(failure(
            "the clipboard is that of a terminal, and the output is none",
            "run it in a terminal, or print the message: alongside comments --sent",
        ));
    }
    if args.paste {
        return super::print(&format!("{}\n", paste(&places, &args.directory)?));
    }
    if args.json {
        let Feedback { comments, route, message, .. } = feedback;
        let root = root.to_string_lossy();
        let all = json!({ "root": root, "comments": comments, "route": route, "message": message });
        return super::print_json(&all);
    }
    if let Some(round) = args.sent {
        let Some(sent) = sent_text(&places, &args.directory, round)? else {
            return super::print("No such message was sent here.\n");
        };
        if sent.is_of_now {
            super::note(CURRENT_LINES_NOTE);
        }
        return match args.copy {
            false => super::print(&sent.text),
            true => super::print(&format!("{}Copied.\n", copy_sequence(&sent.text)?)),
        };
    }
    match args.copy {
        true => match claim_for_person(&places, &args.directory, Delivery::Clipboard)? {
            Claimed::Nothing => super::print(NOTHING_WAITS),
            Claimed::Busy => Err(failure(
                "another alongside writes or delivers comments here",
                "try again in a moment: alongside comments --copy",
            )),
            Claimed::Message(claim) => {
                super::print(&copy_sequence(&claim.message().text)?)?;
                claim.mark_delivered()?;
                super::print(COPIED)
            }
        },
        false => super::print(&list(&feedback.comments, feedback.message.as_ref())),
    }
}

/// Returns the access to agents' panes for a desk.
pub(super) fn panes() -> Arc<dyn AgentPane> {
    Arc::new(Panes)
}

#[derive(Debug)]
struct Panes;

impl AgentPane for Panes {
    fn paste(&self, root: &str) -> Result<String, String> {
        paste(&TurnDirs::of_this_process(), Path::new(root)).map_err(|error| words(&error))
    }
}

/// Pastes all waiting comments into the pane of the agent that would get them. Returns a sentence for the
/// person.
fn paste(places: &TurnDirs, directory: &Path) -> anyhow::Result<String> {
    const ALTERNATIVE: &str = "copy it instead: alongside comments --copy";
    let Some(agent) = running_agent(places, directory)? else {
        return Err(failure("no agent is known here that runs", ALTERNATIVE));
    };
    match claim_for_person(places, directory, Delivery::Pane)? {
        Claimed::Nothing => Ok(NOTHING_WAITS.trim_end().to_owned()),
        Claimed::Busy => Err(failure(
            "another alongside writes or delivers comments here",
            "try again in a moment: alongside comments --paste",
        )),
        Claimed::Message(claim) => {
            let name = harmless::name(&agent.name).into_owned();
            let multiplexer = agent_pane::paste(&agent, &claim.message().text)
                .map_err(|why| failure(format!("nothing is pasted into {name}: {why}"), ALTERNATIVE))?;
            claim.mark_delivered()?;
            Ok(format!(
                "Pasted into {name} in {multiplexer}: press Enter there to send it. Nothing else sends it \
                 now."
            ))
        }
    }
}

/// Returns the escape sequence OSC 52, with which the person's terminal copies a text to its clipboard, also
/// over SSH.
fn copy_sequence(text: &str) -> Result<String, std::fmt::Error> {
    let mut sequence = String::new();
    CopyToClipboard::to_clipboard_from(text).write_ansi(&mut sequence)?;
    Ok(sequence)
}

fn list(comments: &[Comment], message: Option<&TurnMessage>) -> String {
    let unread = message.filter(|message| message.read.is_none());
    let mut text = String::new();
    let is_listed =
        |comment: &&Comment| comment.state.is_unsent() || comment.state.is_read() || unread.is_some();
    for comment in comments.iter().filter(is_listed) {
        text.push_str(&lines(comment));
        text.push('\n');
    }
    if let Some(sentence) = not_sent(comments) {
        text.push_str(&format!("{sentence}\n"));
    }
    if let Some(TurnMessage { words, .. }) = unread {
        text.push_str(&format!("A message is sent: {}.\n", harmless::name(words)));
    }
    if text.is_empty() { NOTHING_WAITS.to_owned() } else { text }
}

fn lines(comment: &Comment) -> String {
    let anchor = &comment.anchor;
    let path = anchor.path.as_deref().map(harmless::name);
    let place = match (path, anchor.lines, comment.now) {
        (None, ..) => "All of it".to_owned(),
        (Some(path), None, _) => path.into_owned(),
        (Some(path), Some(was), _) if anchor.side == Side::Old => format!("{path}, {was} before the changes"),
        (Some(path), Some(_), Some(now)) => format!("{path}, {now}"),
        (Some(path), Some(was), None) => format!("{path}, {was} when it was written, gone since"),
    };
    let state = match comment.state {
        CommentState::Unsent if comment.again => "asked again, not sent",
        CommentState::Unsent => "not sent",
        CommentState::Answered => "read, and its lines have changed since",
        CommentState::Open => "read, and nothing has changed there",
        CommentState::Sent | CommentState::Other => "sent",
    };
    let mut text = format!("{place} ({state})\n");
    let code: Vec<&str> = anchor.code.lines().collect();
    // The remark about further lines takes a line itself.
    let shown = if code.len() > MAX_CODE_LINES + 1 { MAX_CODE_LINES } else { code.len() };
    for line in code.iter().take(shown) {
        text.push_str(&format!("  | {}\n", harmless::line(line)));
    }
    if code.len() > shown {
        text.push_str(&format!("  | … {} more lines\n", code.len() - shown));
    }
    for line in harmless::text(&comment.text).lines() {
        text.push_str(&format!("  > {line}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use alongside_desk::Anchor;

    use super::*;

    #[test]
    fn a_remark_about_further_lines_replaces_at_least_two() {
        let shown = |count: usize| {
            let code = (1..=count).map(|number| format!("line {number}\n")).collect();
            let anchor = Anchor { code, ..Anchor::default() };
            lines(&Comment { anchor, ..Comment::default() })
        };
        assert!(shown(11).ends_with("  | line 10\n  | line 11\n"), "{}", shown(11));
        assert!(shown(12).ends_with("  | line 10\n  | … 2 more lines\n"), "{}", shown(12));
    }
}
