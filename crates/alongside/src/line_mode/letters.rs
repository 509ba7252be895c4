//! The letters of line mode: one table, of which the prompt, the help and the meaning of each typed line are
//! made.

use alongside_desk::review_model::OpenReview;

/// Where the person is when they type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// At a change.
    Hunk,
    /// Behind the last change.
    End,
    /// At a review that is decided as a whole.
    Whole,
    /// No review waits.
    Idle,
}

/// The meaning of a line. A text or a number stands behind some letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Keep,
    Drop,
    KeepRest,
    DropRest,
    More,
    Split,
    Edit,
    Accept,
    Reject,
    Reason,
    AcceptAll,
    AcceptAhead,
    WithdrawGrants,
    Undo,
    Redo,
    Next,
    Previous,
    Back,
    Go,
    Find,
    List,
    ListAccepted,
    /// The change again.
    Print,
    Pause,
    Leave,
    Help,
    /// A letter of the release before, which means nothing here any more.
    Retired,
}

/// The text that may stand behind a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    /// A number, or nothing.
    Number,
    /// A text behind a blank, or nothing.
    Text,
    /// A text, also without a blank before it.
    TextAtOnce,
}

/// A row of the table.
struct Letter {
    /// The letter, and longer words for it, with `|` between them.
    names: &'static str,
    command: Command,
    /// Where it means something.
    at: &'static [At],
    /// Whether prompts name it.
    is_prompted: bool,
    /// Its row in the help, without the letter; empty for none.
    help: &'static str,
}

use At::{End, Hunk, Idle, Whole};
use Command::*;

impl At {
    /// Where the person is in a review.
    pub(super) fn of(open: &OpenReview) -> Self {
        match open.hunk() < open.review().hunks.len() {
            _ if open.review().whole_file_only.is_some() => Whole,
            true => Hunk,
            false => End,
        }
    }
}

const REVIEW: &[At] = &[Hunk, End, Whole];
const CHANGES: &[At] = &[Hunk, End];
const EVERYWHERE: &[At] = &[Hunk, End, Whole, Idle];

/// A row that prompts name.
const fn prompted(names: &'static str, command: Command, at: &'static [At], help: &'static str) -> Letter {
    Letter { names, command, at, is_prompted: true, help }
}

/// A row that the help alone names.
const fn helped(names: &'static str, command: Command, at: &'static [At], help: &'static str) -> Letter {
    Letter { names, command, at, is_prompted: false, help }
}

/// All letters, in the order of prompts and of the help.
const TABLE: &[Letter] = &[
    prompted("y|keep", Keep, &[Hunk], "keep this change, as edited if it was"),
    prompted("n|drop", Drop, &[Hunk], "drop it: the file's own lines stay"),
    helped("Y", KeepRest, &[Hunk], "keep this change and all behind it; N drops them"),
    helped("N", DropRest, &[Hunk], ""),
    prompted("m|more", More, REVIEW, "show the next lines of a long change"),
    prompted("s|split", Split, &[Hunk], "split it into smaller changes"),
    prompted("e|edit", Edit, &[Hunk], "edit the whole text in your editor, at this place"),
    prompted("a|accept", Accept, &[Hunk], "accept the file as it stands now"),
    prompted("a|accept", Accept, &[End, Whole], "accept the file as it stands now: the agent writes it"),
    prompted("r|reject", Reject, REVIEW, "reject the whole proposal"),
    prompted(
        "R|reason",
        Reason,
        &[Hunk],
        "drop this change and say why, for the model: R and a text (R alone shows it)",
    ),
    prompted(
        "R|reason",
        Reason,
        &[End, Whole],
        "say why, for the model: R and a text, then a or r (R alone shows it)",
    ),
    helped("A", AcceptAll, REVIEW, "accept all reviews that you have seen, after one list of them"),
    helped(
        "F",
        AcceptAhead,
        REVIEW,
        "take what the agent still proposes for this file or folder; F - ends that",
    ),
    helped("F -", WithdrawGrants, EVERYWHERE, ""),
    prompted("b|back", Back, &[End], "look again from the first change (K goes to the last one)"),
    prompted("e|edit", Edit, &[End], "edit the whole text in your editor"),
    prompted("u|undo", Undo, CHANGES, "undo the last step; U redoes it"),
    helped("U|redo", Redo, CHANGES, ""),
    helped("j|J|next", Next, &[Hunk], "next change, without deciding; K the previous one, b the first"),
    helped("K|previous", Previous, CHANGES, ""),
    helped("b|back", Back, &[Hunk], ""),
    helped("g|go", Go, CHANGES, "go to a change by its number: g 3"),
    helped("/", Find, CHANGES, "go to the next change with a text: / and the text (/ alone looks on)"),
    helped("l|list", List, REVIEW, "list the waiting reviews; a number goes to that one"),
    helped("l|list", List, &[Idle], "list the waiting reviews, and the agents"),
    helped("L", ListAccepted, EVERYWHERE, "list what was accepted without you; L 1 shows the first"),
    helped("p|print", Print, REVIEW, ""),
    helped("z|pause", Pause, EVERYWHERE, "pause or resume context: agents learn about your files"),
    helped("q|quit", Leave, REVIEW, "quit, also Ctrl-D; asks first if that rejects waiting reviews"),
    helped("q|quit", Leave, &[Idle], "quit"),
    prompted("?|h|help", Help, REVIEW, "this help; p, or Enter alone, shows the change again"),
    prompted("?|h|help", Help, &[Idle], "this help"),
    helped("k|d", Retired, REVIEW, ""),
    helped("f|f -", Retired, REVIEW, ""),
    helped("p", Retired, &[Idle], ""),
];

/// The letter that pauses the context, and resumes it.
pub(super) const PAUSE: char = 'z';

/// The letter that paused it in the release before has shown the change again: said once.
pub(super) const PRINTS: &str = "p shows the change, as in git add -p; z pauses context.";

/// The meaning of the sign at lines of the context.
pub(super) const NEIGHBOURS: &str = "Lines with ~ belong to another change, near this one.";

/// The answer to a letter of the release before.
pub(super) fn retired(line: &str) -> &'static str {
    match line.chars().next() {
        Some('f') => "f only finishes the review of a turn: F accepts ahead, F - takes that back.",
        Some('p') => "p shows a change, and none is here: z pauses context.",
        _ => "k and d mean nothing here any more: y keeps a change, n drops it.",
    }
}

/// The meaning of a line here, and the text behind the letter.
pub(super) fn command(line: &str, at: At) -> Option<(Command, &str)> {
    let here = TABLE.iter().filter(|row| row.at.contains(&at));
    here.filter_map(|row| Some((row.command, row.behind(line)?))).next()
}

/// The letters of a prompt, in its form: `[y,n,?]?`.
pub(super) fn prompt(at: At, leaves_out: &[Command]) -> String {
    let is_named = |row: &&Letter| row.is_prompted && row.at.contains(&at);
    let named = TABLE.iter().filter(is_named).filter(|row| !leaves_out.contains(&row.command));
    format!("[{}]?", named.map(|row| row.letter()).collect::<Vec<_>>().join(","))
}

/// The help: a row for each letter that means something here.
pub(super) fn help(at: At) -> String {
    let rows = TABLE.iter().filter(|row| row.at.contains(&at) && !row.help.is_empty());
    let rows = rows.map(|row| format!("{}  {}", row.letter(), row.help));
    let (first, last) = match at {
        Hunk => (
            "Type one of these, then Enter:",
            Some("Nothing is accepted before you type a, A or F; y and n only change the text."),
        ),
        End | Whole => ("Type one of these, then Enter:", None),
        Idle => ("Reviews appear here as soon as an agent proposes a change.", None),
    };
    let signs = (at == Hunk).then_some(NEIGHBOURS);
    let lines = std::iter::once(first.to_owned()).chain(rows);
    let lines = lines.chain(signs.into_iter().chain(last).map(str::to_owned));
    lines.collect::<Vec<_>>().join("\n")
}

impl Command {
    /// The text that may stand behind its letter.
    fn takes(self) -> Behind {
        match self {
            Go | ListAccepted => Behind::Number,
            Reason => Behind::Text,
            Find => Behind::TextAtOnce,
            _ => Behind::Nothing,
        }
    }
}

impl Letter {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split('|')
    }

    fn letter(&self) -> &'static str {
        self.names().next().unwrap_or_default()
    }

    /// The text behind this letter, or a word for it, in a line; none if the line does not begin with it.
    fn behind<'a>(&self, line: &'a str) -> Option<&'a str> {
        if self.names().any(|name| name == line) {
            return Some("");
        }
        let (name, behind) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let behind = behind.trim();
        let is_named = self.names().any(|known| known == name);
        let at_once = || line.strip_prefix(self.letter()).map(str::trim);
        match self.command.takes() {
            Behind::Nothing => None,
            Behind::Number => {
                let behind = if is_named { behind } else { at_once()? };
                behind.bytes().all(|byte| byte.is_ascii_digit()).then_some(behind)
            }
            Behind::Text => is_named.then_some(behind),
            Behind::TextAtOnce => at_once(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_means_two_things_in_one_place() {
        for at in EVERYWHERE {
            let here = || TABLE.iter().filter(|row| row.at.contains(at));
            for name in here().flat_map(Letter::names) {
                let meant: Vec<_> = here().filter(|row| row.behind(name).is_some()).collect();
                assert_eq!(meant.len(), 1, "{name} {at:?}");
            }
        }
    }

    #[test]
    fn a_prompt_names_no_letter_that_means_nothing() {
        for at in EVERYWHERE {
            let prompt = prompt(*at, &[]);
            let letters = prompt.trim_start_matches('[').trim_end_matches("]?").split(',');
            for letter in letters.filter(|letter| !letter.is_empty()) {
                assert!(command(letter, *at).is_some(), "{letter} {at:?}");
                assert!(help(*at).contains(&format!("\n{letter}  ")), "{letter} {at:?}");
            }
        }
    }

    #[test]
    fn texts_and_numbers_stand_behind_their_letters() {
        let is = |line, expected| assert_eq!(command(line, Hunk), expected, "{line}");
        is("R too early", Some((Command::Reason, "too early")));
        is("reason\tno", Some((Command::Reason, "no")));
        is("R", Some((Command::Reason, "")));
        is("Rtoo early", None);
        is("r too early", None);
        is("g 12", Some((Command::Go, "12")));
        is("g12", Some((Command::Go, "12")));
        is("g x", None);
        is("L 1", Some((Command::ListAccepted, "1")));
        is("/ let  x ", Some((Command::Find, "let  x")));
        is("/x", Some((Command::Find, "x")));
        is("F", Some((Command::AcceptAhead, "")));
        is("F -", Some((Command::WithdrawGrants, "")));
        is("F x", None);
        is("p", Some((Command::Print, "")));
        is("pause", Some((Command::Pause, "")));
        is("K", Some((Command::Previous, "")));
        is("", None);
    }

    #[test]
    fn letters_of_the_release_before_mean_nothing() {
        for at in REVIEW {
            for letter in ["k", "d", "f", "f -"] {
                assert_eq!(command(letter, *at), Some((Command::Retired, "")), "{letter}");
            }
            assert!(!prompt(*at, &[]).contains(['k', 'd', 'f']), "{at:?}");
            assert!(!["\nk", "\nd", "\nf"].iter().any(|row| help(*at).contains(row)), "{at:?}");
        }
        assert_eq!(command("p", Idle), Some((Command::Retired, "")));
        assert!(retired("f -").contains("F accepts ahead") && retired("p").contains("z pauses"));
        assert!(retired("k").contains("y keeps") && retired("d").contains("n drops"));
        assert!(command("k", Idle).is_none(), "a line for a review that is still to come");
    }

    #[test]
    fn the_help_names_every_letter_that_accepts() {
        let help = help(Hunk);
        let rows = help.lines().filter_map(|row| row.split_once("  accept "));
        let letters: Vec<_> = rows.map(|(letter, _)| letter).collect();
        let said = format!("Nothing is accepted before you type {} or F;", letters.join(", "));
        assert!(help.contains(&said), "{said}");
    }

    #[test]
    fn help_fits_on_a_terminal_of_80_columns_and_24_rows() {
        for at in EVERYWHERE {
            let help = help(*at);
            // The prompt follows.
            assert!(help.lines().all(|row| row.chars().count() <= 80), "{help}");
            assert!(help.lines().count() < 24, "{help}");
        }
    }

    #[test]
    fn the_page_of_keys_has_the_letters_of_the_help_and_no_others() {
        let page = include_str!("../../../../docs/keys.md");
        let (_, letters) = page.split_once("| letter | action |").unwrap();
        let (letters, _) = letters.split_once("\n\n").unwrap();
        for row in TABLE.iter().filter(|row| row.command != Command::Retired) {
            assert!(letters.contains(&format!("`{}`", row.letter())), "{}", row.letter());
        }
        for letter in letters.split('`').skip(1).step_by(2).filter(|letter| letter.chars().count() == 1) {
            let known = command(letter, Hunk);
            assert!(known.is_some_and(|(command, _)| command != Command::Retired), "{letter}");
        }
    }
}
