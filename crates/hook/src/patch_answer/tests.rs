//! Tests that patches which write a given text can be parsed and applied.

use alongside_contract::hook::PathRules;
use alongside_desk::Operation;

use super::*;
use crate::change::TextFile;
use crate::patch_apply::apply;
use crate::patch_call::PatchCall;
use crate::patch_grammar::{Change, Patch};

/// Returns the text after the patch with this section.
fn applied(section: &str, original: Option<&str>) -> String {
    let patch = Patch::parse(&assemble([section])).unwrap_or_else(|error| panic!("{error}:\n{section}"));
    let [file] = patch.files.as_slice() else { panic!("{section}") };
    assert_eq!(file.path, "f");
    apply(file, original).unwrap_or_else(|error| panic!("{error}: {original:?}\n{section}")).unwrap()
}

#[track_caller]
fn assert_round_trip(original: Option<&str>, text: &str) {
    let section = update_section("f", original, text).unwrap();
    assert_eq!(applied(&section, original), *with_final_newline(text), "{original:?}\n{section}");
}

/// Makes all texts of up to four lines, of which several are equal, with and without a final newline.
fn small_texts() -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut longest = texts.clone();
    for _ in 0..4 {
        longest =
            longest.iter().flat_map(|text| ["a", "b", ""].map(|line| format!("{text}{line}\n"))).collect();
        for text in &longest {
            texts.push(text.clone());
            texts.extend(text.strip_suffix('\n').map(str::to_owned));
        }
    }
    texts
}

/// A random number generator (xorshift) with the same sequence in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// Lines that look like parts of a patch, like each other, or like whitespace.
const LINES: [&str; 22] = [
    "a",
    "a",
    "a ",
    " a",
    "b",
    "",
    " ",
    "+a",
    "-a",
    "@@",
    "@@ a",
    "*** Begin Patch",
    "*** End Patch",
    "*** End of File",
    "*** Delete File: f",
    "*** Add File: g",
    "*** Move to: g",
    "é\u{301}",
    "\u{2028}",
    "\u{85}x",
    "\t\u{b}",
    "\u{feff}日本",
];

fn random_text(numbers: &mut Numbers) -> String {
    let mut text = String::new();
    for _ in 0..numbers.below(40) {
        text.push_str(numbers.one_of(&LINES));
        text.push('\n');
    }
    if numbers.below(3) == 0 {
        text.pop();
    }
    text
}

/// Returns the text with a few lines changed, as by a person or an agent.
fn edited(text: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(lines.len() + 1);
        let removed = numbers.below(3).min(lines.len() - at);
        let added = (0..numbers.below(3)).map(|_| numbers.one_of(&LINES)).collect::<Vec<_>>();
        lines.splice(at..at + removed, added);
    }
    lines.join("\n")
}

#[test]
fn every_small_text_becomes_every_other_one() {
    let texts = small_texts();
    for text in &texts {
        assert_round_trip(None, text);
        for original in &texts {
            assert_round_trip(Some(original), text);
        }
    }
}

#[test]
fn random_texts_become_their_edited_form() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for _ in 0..20_000 {
        let original = random_text(&mut numbers);
        assert_round_trip(Some(&original), &edited(&original, &mut numbers));
        assert_round_trip(Some(&original), &random_text(&mut numbers));
        assert_round_trip(None, &original);
    }
}

#[test]
fn no_text_makes_the_parser_panic() {
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    let signs = ["", " ", "+", "-", "@@ ", "*** Update File: ", "*** Add File: "];
    let mut applied = 0;
    for _ in 0..50_000 {
        let mut patch = "*** Begin Patch\n*** Update File: f\n".to_owned();
        for _ in 0..numbers.below(8) {
            patch.push_str(numbers.one_of(&signs));
            patch.push_str(numbers.one_of(&LINES));
            patch.push_str(numbers.one_of(&["\n", "\n", "\n", "\n", "\n", "\r\n", ""]));
        }
        patch.push_str("*** End Patch");
        let original = random_text(&mut numbers);
        for file in Patch::parse(&patch).map(|patch| patch.files).unwrap_or_default() {
            applied += usize::from(apply(&file, Some(&original)).is_ok());
        }
    }
    assert!(applied > 100, "{applied}");
}

#[test]
fn a_unique_line_is_changed_without_context() {
    let section = update_section("f", Some("a\nb\nc\n"), "a\nB\nc\n").unwrap();
    assert_eq!(section, "*** Update File: f\n@@\n-b\n+B\n");
}

#[test]
fn a_line_that_also_occurs_further_up_gets_context() {
    let section = update_section("f", Some("b\na\nb\nc\n"), "b\na\nB\nc\n").unwrap();
    assert_eq!(section, "*** Update File: f\n@@\n b\n a\n-b\n+B\n c\n");
}

#[test]
fn an_insertion_gets_context() {
    let section =
        update_section("f", Some("1\n2\n3\n4\n5\n6\n7\n8\n"), "1\n2\n3\n4\nnew\n5\n6\n7\n8\n").unwrap();
    assert_eq!(section, "*** Update File: f\n@@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n");
}

#[test]
fn a_change_with_equal_lines_above_quotes_all_lines() {
    let original = "a\n".repeat(100);
    let text = format!("{}b\n", "a\n".repeat(99));
    let section = update_section("f", Some(&original), &text).unwrap();
    assert_eq!(section.matches("\n-a").count(), 100);
    assert_round_trip(Some(&original), &text);
}

#[test]
fn a_new_file_is_added() {
    assert_eq!(update_section("f", None, "a\n\nb").unwrap(), "*** Add File: f\n+a\n+\n+b\n");
    assert_eq!(update_section("f", None, "").unwrap(), "*** Add File: f\n");
}

#[test]
fn a_moved_file_may_change_or_keep_its_text() {
    for (original, text) in
        [("a\nb\n", "a\nc\n"), ("a\n", "a\n"), ("a\na\n", "a\na\n"), ("", "a\n"), ("a", "")]
    {
        let patch = Patch::parse(&assemble([move_section("f", "g", original, text).unwrap()])).unwrap();
        assert!(matches!(&patch.files[0].change, Change::Update { move_to: Some(to), .. } if to == "g"));
        assert_eq!(apply(&patch.files[0], Some(original)).unwrap().as_deref(), Some(text));
    }
}

/// Returns the text with some of the changes that lead to `proposed`. Without a common line, all lines are
/// one change.
fn partly_changed(original: &str, proposed: &str, numbers: &mut Numbers) -> String {
    let (old, new): (Vec<_>, Vec<_>) =
        (original.split_inclusive('\n').collect(), proposed.split_inclusive('\n').collect());
    let (mut at, mut kept) = (0, String::new());
    let mut from = 0;
    while let Some((o, n)) =
        (from..old.len()).find_map(|o| Some((o, (at..new.len()).find(|n| new[*n] == old[o])?)))
    {
        let takes = numbers.below(2) == 0;
        kept.extend(if takes { &new[at..n] } else { &old[from..o] }.iter().copied());
        kept.push_str(old[o]);
        (from, at) = (o + 1, n + 1);
    }
    kept.extend(if numbers.below(2) == 0 { &new[at..] } else { &old[from..] }.iter().copied());
    kept
}

/// The model moves a file and changes it. The person drops some or all of the changes, or types another text.
#[test]
fn a_move_with_dropped_changes_writes_the_kept_ones_and_no_old_file() {
    let mut numbers = Numbers(0x1357_9BDF_0246_8ACE);
    for round in 0..10_000 {
        let original = random_text(&mut numbers);
        let end = if round % 4 == 0 && original.contains('\n') { "\r\n" } else { "\n" };
        let proposed = edited(&original, &mut numbers);
        let kept = match numbers.below(4) {
            0 => original.clone(),
            1 => edited(&proposed, &mut numbers),
            _ => partly_changed(&original, &proposed, &mut numbers),
        };
        if original.is_empty() && proposed.is_empty() {
            // Such a move is a deletion and a new file.
            continue;
        }
        let read = |path: &str| match path {
            "f" => TextFile::Text(original.replace('\n', end)),
            _ => TextFile::Absent,
        };
        let section = move_section("f", "g", &original, &proposed).unwrap();
        let call = PatchCall::read(&assemble([section]), PathRules::AsGiven, "patch").unwrap();
        let mut arguments = serde_json::Map::new();
        let text = kept.replace('\n', end);
        call.rewrite(&mut arguments, &[Some(&text)], read).unwrap();
        let answer = arguments["patch"].as_str().unwrap();
        let changes = PatchCall::read(answer, PathRules::AsGiven, "patch").unwrap().changes(read).unwrap();
        let written = changes.iter().find(|change| change.path == "g").unwrap();
        let last = if kept.is_empty() || kept.ends_with('\n') { "" } else { end };
        assert_eq!(written.proposed, format!("{text}{last}"), "{original:?}\n{answer}");
        let is_gone = |change: &crate::Change| match &change.operation {
            Operation::Move { from } => from == "f",
            Operation::Delete => change.path == "f",
            Operation::Write => false,
        };
        assert!(changes.iter().any(is_gone), "{answer}");
    }
}

#[test]
fn an_empty_file_moves_in_two_sections() {
    let section = move_section("f", "g", "", "").unwrap();
    assert_eq!(section, "*** Delete File: f\n*** Add File: g\n");
}

#[test]
fn a_patch_has_all_its_sections() {
    let sections = [
        update_section("f", None, "a\n").unwrap(),
        delete_section("g").unwrap(),
        move_section("h", "i", "", "").unwrap(),
    ];
    let patch = Patch::parse(&assemble(&sections)).unwrap();
    assert_eq!(patch.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["f", "g", "h", "i"]);
}

#[test]
fn a_path_with_a_line_break_or_final_whitespace_is_refused() {
    for path in ["", "f ", "f\n*** Delete File: g", "f\r"] {
        assert_eq!(update_section(path, None, "a"), Err(PATH_NOT_ALLOWED));
        assert_eq!(delete_section(path), Err(PATH_NOT_ALLOWED));
        assert_eq!(move_section("f", path, "a", "b"), Err(PATH_NOT_ALLOWED));
        assert_eq!(move_section(path, "f", "a", "b"), Err(PATH_NOT_ALLOWED));
    }
}

#[test]
fn a_text_with_a_carriage_return_is_refused() {
    assert_eq!(update_section("f", None, "a\r\n"), Err(CARRIAGE_RETURN));
    assert_eq!(update_section("f", Some("a\r\nb"), "a\n"), Err(CARRIAGE_RETURN));
    assert_eq!(move_section("f", "g", "a", "a\rb"), Err(CARRIAGE_RETURN));
}
