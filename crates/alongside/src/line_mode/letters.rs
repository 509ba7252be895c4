//! The table of the letters of line mode, which makes the prompts, the help and the meaning of each typed
//! line.

use alongside_desk::review_model::OpenReview;

/// The position of the person in a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// At a hunk.
    Hunk,
    /// After the last hunk.
    End,
    /// At a review that is decided as a whole.
    Whole,
    /// At no review, because none waits.
    Idle,
}

/// The command that a line means. Some commands have an argument.
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
    /// Prints the hunk again.
    Print,
    Pause,
    Leave,
    Help,
    /// Explains a letter that had a meaning in the previous release.
    Retired,
}

/// The argument that a letter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument {
    Nothing,
    /// A number, or nothing.
    Number,
    /// A text after whitespace, or nothing.
    Text,
    /// A text, also without whitespace before it.
    AdjacentText,
}

/// An entry of the table.
struct Letter {
    /// The letter, and longer words for it, with `|` between them.
    names: &'static str,
    command: Command,
    /// The positions in which the letter has this meaning.
    at: &'static [At],
    /// Whether prompts name it.
    is_prompted: bool,
    /// The line of the help, without the letter; empty for none.
    help: &'static str,
}

use At::{End, Hunk, Idle, Whole};
use Command::*;

impl At {
    /// Returns the position of the person in a review.
    pub(super) fn of(open: &OpenReview) -> Self {
        match open.hunk() < open.review().hunks.len() {
            _ if open.review().whole_file_only.is_some() => Whole,
            true => Hunk,
            false => End,
        }
    }
}

/// All positions in a review.
const REVIEW: &[At] = &[Hunk, End, Whole];
/// The positions in a review that has hunks.
const CHANGES: &[At] = &[Hunk, End];
/// All positions in a review, and the prompt without a review.
const EVERYWHERE: &[At] = &[Hunk, End, Whole, Idle];

/// Creates an entry that prompts and the help name.
const fn prompt_entry(
    names: &'static str,
    command: Command,
    at: &'static [At],
    help: &'static str,
) -> Letter {
    Letter { names, command, at, is_prompted: true, help }
}

/// Creates an entry that only the help names.
const fn help_entry(names: &'static str, command: Command, at: &'static [At], help: &'static str) -> Letter {
    Letter { names, command, at, is_prompted: false, help }
}

/// All letters, in the order of prompts and of the help.
const TABLE: &[Letter] = &[
    prompt_entry("y|keep", Keep, &[Hunk], "keep this change, as edited if it was"),
    prompt_entry("n|drop", Drop, &[Hunk], "drop it: the file's own lines stay"),
    help_entry("Y", KeepRest, &[Hunk], "keep this change and all behind it; N drops them"),
    help_entry("N", DropRest, &[Hunk], ""),
    prompt_entry("m|more", More, REVIEW, "show the next lines of a long change"),
    prompt_entry("s|split", Split, &[Hunk], "split it into smaller changes"),
    prompt_entry("e|edit", Edit, &[Hunk], "edit the whole text in your editor, at this place"),
    prompt_entry("a|accept", Accept, &[Hunk], "accept the file as it stands now"),
    prompt_entry("a|accept", Accept, &[End, Whole], "accept the file as it stands now: the agent writes it"),
    prompt_entry("r|reject", Reject, REVIEW, "reject the whole proposal"),
    prompt_entry(
        "R|reason",
        Reason,
        &[Hunk],
        "drop this change and say why, for the model: R and a text (R alone shows it)",
    ),
    prompt_entry(
        "R|reason",
        Reason,
        &[End, Whole],
        "say why, for the model: R and a text, then a or r (R alone shows it)",
    ),
    help_entry("A", AcceptAll, REVIEW, "accept all reviews that you have seen, after one list of them"),
    help_entry(
        "F",
        AcceptAhead,
        REVIEW,
        "take what the agent still proposes for this file or folder; F - ends that",
    ),
    help_entry("F -", WithdrawGrants, EVERYWHERE, ""),
    prompt_entry("b|back", Back, &[End], "look again from the first change (K goes to the last one)"),
    prompt_entry("e|edit", Edit, &[End], "edit the whole text in your editor"),
    prompt_entry("u|undo", Undo, CHANGES, "undo the last step; U redoes it"),
    help_entry("U|redo", Redo, CHANGES, ""),
    help_entry("j|J|next", Next, &[Hunk], "next change, without deciding; K the previous one, b the first"),
    help_entry("K|previous", Previous, CHANGES, ""),
    help_entry("b|back", Back, &[Hunk], ""),
    help_entry("g|go", Go, CHANGES, "go to a change by its number: g 3"),
    help_entry("/", Find, CHANGES, "go to the next change with a text: / and the text (/ alone looks on)"),
    help_entry("l|list", List, REVIEW, "list the waiting reviews; a number goes to that one"),
    help_entry("l|list", List, &[Idle], "list the waiting reviews, and the agents"),
    help_entry("L", ListAccepted, EVERYWHERE, "list what was accepted without you; L 1 shows the first"),
    help_entry("p|print", Print, REVIEW, ""),
    help_entry("z|pause", Pause, EVERYWHERE, "pause or resume context: agents learn about your files"),
    help_entry("q|quit", Leave, REVIEW, "quit, also Ctrl-D; asks first if that rejects waiting reviews"),
    help_entry("q|quit", Leave, &[Idle], "quit"),
    prompt_entry("?|h|help", Help, REVIEW, "this help; p, or Enter alone, shows the change again"),
    prompt_entry("?|h|help", Help, &[Idle], "this help"),
    help_entry("k|d", Retired, REVIEW, ""),
    help_entry("f|f -", Retired, REVIEW, ""),
    help_entry("p", Retired, &[Idle], ""),
];

/// The letter that pauses the context, and resumes it.
pub(super) const PAUSE: char = 'z';

/// The notice, printed once, about `p`, which paused the context in the previous release.
pub(super) const PRINT_NOTICE: &str = "p shows the change, as in git add -p; z pauses context.";

/// The explanation of the sign at lines of context.
pub(super) const NEIGHBOUR_LEGEND: &str = "Lines with ~ belong to another change, near this one.";

/// Returns the answer to a letter of the previous release.
pub(super) fn retired(line: &str) -> &'static str {
    match line.chars().next() {
        Some('f') => "f only finishes the review of a turn: F accepts ahead, F - takes that back.",
        Some('p') => "p shows a change, and none is here: z pauses context.",
        _ => "k and d mean nothing here any more: y keeps a change, n drops it.",
    }
}

/// Returns the command that a line means in a position, and its argument.
pub(super) fn command(line: &str, at: At) -> Option<(Command, &str)> {
    let here = TABLE.iter().filter(|row| row.at.contains(&at));
    here.filter_map(|row| Some((row.command, row.argument(line)?))).next()
}

/// Returns the letters of a prompt, as in `[y,n,?]?`.
pub(super) fn prompt(at: At, omitted: &[Command]) -> String {
    let is_named = |row: &&Letter| row.is_prompted && row.at.contains(&at);
    let named = TABLE.iter().filter(is_named).filter(|row| !omitted.contains(&row.command));
    format!("[{}]?", named.map(|row| row.letter()).collect::<Vec<_>>().join(","))
}

/// Returns the help, with a line for each letter that has a meaning in this position.
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
    let signs = (at == Hunk).then_some(NEIGHBOUR_LEGEND);
    let lines = std::iter::once(first.to_owned()).chain(rows);
    let lines = lines.chain(signs.into_iter().chain(last).map(str::to_owned));
    lines.collect::<Vec<_>>().join("\n")
}

impl Command {
    /// Returns the argument that the letter of this command accepts.
    fn argument(self) -> Argument {
        match self {
            Go | ListAccepted => Argument::Number,
            Reason => Argument::Text,
            Find => Argument::AdjacentText,
            _ => Argument::Nothing,
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

    /// Returns the argument in a line of this letter, or of a longer word for it; `None` for another line.
    fn argument<'a>(&self, line: &'a str) -> Option<&'a str> {
        if self.names().any(|name| name == line) {
            return Some("");
        }
        let (name, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let text = text.trim();
        let is_named = self.names().any(|known| known == name);
        let adjacent = || line.strip_prefix(self.letter()).map(str::trim);
        match self.command.argument() {
            Argument::Nothing => None,
            Argument::Number => {
                let number = if is_named { text } else { adjacent()? };
                number.bytes().all(|byte| byte.is_ascii_digit()).then_some(number)
            }
            Argument::Text => is_named.then_some(text),
            Argument::AdjacentText => adjacent(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_meaning_in_each_position() {
        for at in EVERYWHERE {
            let here = || TABLE.iter().filter(|row| row.at.contains(at));
            for name in here().flat_map(Letter::names) {
                let meant: Vec<_> = here().filter(|row| row.argument(name).is_some()).collect();
                assert_eq!(meant.len(), 1, "{name} {at:?}");
            }
        }
    }

    #[test]
    fn a_prompt_names_only_letters_with_a_meaning() {
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
    fn letters_take_texts_and_numbers_as_arguments() {
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
    fn letters_of_the_previous_release_are_explained() {
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
        assert!(command("k", Idle).is_none(), "the line waits for a review");
    }

    #[test]
    fn the_help_names_every_letter_that_accepts() {
        let help = help(Hunk);
        let rows = help.lines().filter_map(|row| row.split_once("  accept "));
        let letters: Vec<_> = rows.map(|(letter, _)| letter).collect();
        let sentence = format!("Nothing is accepted before you type {} or F;", letters.join(", "));
        assert!(help.contains(&sentence), "{sentence}");
    }

    #[test]
    fn help_fits_on_a_terminal_of_80_columns_and_24_rows() {
        for at in EVERYWHERE {
            let help = help(*at);
            // The prompt needs the last row.
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
