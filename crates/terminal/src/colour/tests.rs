//! Tests of the highlighting: the classes, the start of parsing, and the requests.

use std::time::Duration;

use alongside_desk::Text;

use super::classes::Classes;
use super::highlighter::Highlighter;
use super::spans::*;
use super::*;

/// A line, and below it the class of each byte as a letter.
fn shown(line: &str, spans: &[Span]) -> String {
    let mut below = vec!['.'; line.trim_end().len()];
    for span in spans {
        let letter = format!("{:?}", span.class).chars().next().unwrap();
        below[span.start.into()..span.end.into()].fill(if span.class == Class::Comment {
            '#'
        } else {
            letter
        });
    }
    format!("{}\n{}", line.trim_end(), below.into_iter().collect::<String>())
}

fn coloured(file: &str, text: &str) -> String {
    let text = Text::new(text);
    let piece = Highlighter::new(Classes::new().unwrap()).highlight_piece(file, &text, 0);
    let lines: Vec<_> = (0..text.len()).map(|line| shown(text.lines(line..line + 1), &piece[line])).collect();
    lines.join("\n")
}

#[test]
fn the_classes_of_some_languages() {
    let python =
        "def total(prices):\n    return sum(prices) * 1.5  # all\nif self.x is None and 'a\\n': pass";
    insta::assert_snapshot!(coloured("/p/basket.py", python), @r#"
    def total(prices):
    KKK.FFFFF.........
        return sum(prices) * 1.5  # all
    ....KKKKKK.FFF...........NNN..#####
    if self.x is None and 'a\n': pass
    KK.CCCC...KK.CCCC.KKK.SSCCS..KKKK
    "#);
    let rust = "/// Says.\r\npub fn main() -> Vec<u8> {\r\n    let x = \"a\"; // b\r\n}\r\n";
    insta::assert_snapshot!(coloured("/p/main.rs", rust), @r#"
    /// Says.
    #########
    pub fn main() -> Vec<u8> {
    KKK.KK.FFFF......TTT.KK...
        let x = "a"; // b
    ....KKK.....SSS..####
    }
    .
    "#);
    let typescript = "export const a: string = `x${b}y`;\nclass A extends B {}\n";
    insta::assert_snapshot!(coloured("app.ts", typescript), @r#"
    export const a: string = `x${b}y`;
    KKKKKK.KKKKK....TTTTTT...SSSS.SSS.
    class A extends B {}
    KKKKK.T.KKKKKKK.T...
    "#);
    insta::assert_snapshot!(coloured("Dockerfile", "FROM debian:12\nRUN echo hi\n"), @r#"
    FROM debian:12
    KKKK........TT
    RUN echo hi
    KKKK.......
    "#);
    insta::assert_snapshot!(coloured("run", "#!/bin/sh\necho \"$1\" # x\n"), @r#"
    #!/bin/sh
    #########
    echo "$1" # x
    FFFF.SSSS.###
    "#);
    insta::assert_snapshot!(coloured("a.json", "{\"a\": [1, true, null, \"x\"]}\n"), @r#"
    {"a": [1, true, null, "x"]}
    .SSS...N..CCCC..CCCC..SSS..
    "#);
}

#[test]
fn a_file_without_a_grammar_is_plain() {
    let text = Text::new("if x then 1\n".repeat(70));
    let piece = Highlighter::new(Classes::new().unwrap()).highlight_piece("/p/notes.unheard-of", &text, 1);
    assert_eq!(piece, vec![Box::<[Span]>::default(); 6]);
}

#[test]
fn long_lines_are_plain_and_what_follows_is_not() {
    let text = Text::new(format!("x = '{}'\ny = 1\n", "a".repeat(3_000)));
    let piece = Highlighter::new(Classes::new().unwrap()).highlight_piece("a.py", &text, 0);
    assert!(piece[0].is_empty());
    assert_eq!(piece[1].len(), 1, "{:?}", piece[1]);
}

#[test]
fn a_far_line_is_parsed_from_nearby_and_goes_on_there() {
    let function = |number: u32| format!("def f{number}(x):\n    return {number}\n\n");
    let functions: String = (0..70_000).map(function).collect();
    let text = Text::new(functions);
    let mut highlighter = Highlighter::new(Classes::new().unwrap());
    let piece = highlighter.highlight_piece("a.py", &text, 3_000);
    assert!(!piece[0].is_empty() || !piece[1].is_empty());
    let before = highlighter.parsed_lines.parsed;
    assert!(before <= 512 + 2 * LINES_PER_PIECE, "{before} lines");
    highlighter.highlight_piece("a.py", &text, 3_001);
    // An empty line was parsed in this state before.
    let first = 3_001 * LINES_PER_PIECE;
    let not_empty = (first..first + LINES_PER_PIECE).filter(|line| line % 3 != 2).count();
    assert_eq!(highlighter.parsed_lines.parsed - before, not_empty);
}

#[test]
fn a_line_of_both_texts_is_parsed_once_if_its_state_is_the_same() {
    let lines: Vec<_> =
        (0..LINES_PER_PIECE).map(|number| format!("let value_{number} = {number};\n")).collect();
    let (original, mut proposed) = (lines.concat(), lines);
    proposed[10] = "let other = 1;\n".into();
    let mut highlighter = Highlighter::new(Classes::new().unwrap());
    let first = highlighter.highlight_piece("a.rs", &Text::new(original), 0);
    let before = highlighter.parsed_lines.parsed;
    let second = highlighter.highlight_piece("a.rs", &Text::new(proposed.concat()), 0);
    assert_eq!(highlighter.parsed_lines.parsed - before, 1);
    assert_eq!(second[11..], first[11..]);

    proposed[10] = "/* a comment\n".into();
    let commented = highlighter.highlight_piece("a.rs", &Text::new(proposed.concat()), 0);
    assert_eq!(commented[..10], first[..10]);
    assert!(commented[11..].iter().all(|spans| spans[0].class == Class::Comment), "{commented:?}");
}

#[test]
fn a_comment_that_began_above_is_known() {
    let text = Text::new(format!("/*\n{}*/\nint x;\n", "word\n".repeat(300)));
    let mut highlighter = Highlighter::new(Classes::new().unwrap());
    let piece = highlighter.highlight_piece("a.c", &text, 3);
    assert!(piece.iter().all(|line| line[..] == [Span { start: 0, end: 4, class: Class::Comment }]));
}

#[tokio::test]
async fn colours_come_when_asked_for_and_only_once() {
    let text = Text::new("let x = 1;\n".repeat(200));
    let mut colours = Colours::new();
    assert_eq!(colours.line(text.text(), 70), None);
    colours.request("a.rs", vec![(text.clone(), 70..75), (text.clone(), 80..90)]);
    let waiting = tokio::time::timeout(Duration::from_secs(60), colours.wait_for_change());
    waiting.await.expect("colours come");
    assert!(!colours.line(text.text(), 70).unwrap().is_empty());
    assert_eq!(colours.line(text.text(), 0), None, "a piece that was not requested");
    colours.request("a.rs", vec![(text.clone(), 64..128)]);
    let nothing = tokio::time::timeout(Duration::from_millis(200), colours.wait_for_change());
    assert!(nothing.await.is_err(), "known colours are not requested again");
}

#[test]
fn only_the_latest_wish_counts() {
    let text = Text::new("let x = 1;\n".repeat(2_000));
    let (request, requests) = mpsc::channel();
    let (done_out, mut done) = unbounded_channel();
    for pieces in [vec![0, 1, 2, 3], vec![20, 21]] {
        let pieces = pieces.into_iter().map(|piece| (text.clone(), piece)).collect();
        request.send(ColourRequest { file: "a.rs".into(), pieces }).unwrap();
    }
    drop(request);
    highlighter::run(&requests, &done_out);
    let mut pieces = Vec::new();
    while let Ok(ColouredPiece { piece, .. }) = done.try_recv() {
        pieces.push(piece);
    }
    assert_eq!(pieces, [20, 21]);
}
