//! Pictures of small screens, as text.

use super::*;
use std::num::NonZeroU16;

fn drawn(bytes: &str) -> Screen {
    let size = |cells| NonZeroU16::new(cells).unwrap();
    let mut parser = vt100::Parser::new(size(3), size(20), 0);
    parser.process(format!("\x1b[?25l{bytes}").as_bytes());
    parser.screen().clone()
}

fn body(bytes: &str) -> Vec<String> {
    let svg = svg("t", &drawn(bytes), &DARK);
    let lines: Vec<_> = svg.lines().map(str::to_owned).collect();
    lines[3..lines.len() - 1].to_vec()
}

#[test]
fn every_run_of_cells_has_place_and_length() {
    assert_eq!(
        body("ab \x1b[1;31mc\x1b[md\r\n\n  e"),
        [
            "<text y=\"23\" fill=\"#d0d0d0\" style=\"white-space:pre\">\
             <tspan x=\"9\" textLength=\"18\">ab</tspan> \
             <tspan x=\"36\" textLength=\"9\" fill=\"#e05c5c\" font-weight=\"bold\">c</tspan>\
             <tspan x=\"45\" textLength=\"9\">d</tspan></text>",
            "<text y=\"59\" fill=\"#d0d0d0\" style=\"white-space:pre\">  \
             <tspan x=\"27\" textLength=\"9\">e</tspan></text>",
        ]
    );
}

#[test]
fn wide_and_unusual_characters_are_runs_of_their_own() {
    assert_eq!(
        body("a漢──b"),
        ["<text y=\"23\" fill=\"#d0d0d0\" style=\"white-space:pre\">\
         <tspan x=\"9\" textLength=\"9\">a</tspan>\
         <tspan x=\"18\" textLength=\"18\">漢</tspan><tspan x=\"36\" textLength=\"18\">──</tspan>\
         <tspan x=\"54\" textLength=\"9\">b</tspan></text>"]
    );
}

#[test]
fn equal_backgrounds_share_a_rectangle() {
    let drawn = body("\x1b[48;5;22ma\x1b[1mb\x1b[m \x1b[7mc");
    assert_eq!(drawn[0], "<rect x=\"9\" y=\"9\" width=\"18\" height=\"18\" fill=\"#005f00\"/>");
    assert_eq!(drawn[1], "<rect x=\"36\" y=\"9\" width=\"9\" height=\"18\" fill=\"#d0d0d0\"/>");
    assert!(drawn[2].contains("fill=\"#121212\">c<"), "{}", drawn[2]);
}

#[test]
fn cursor_is_drawn_when_shown() {
    assert_eq!(body("ab\x1b[?25h")[0], "<rect x=\"27\" y=\"9\" width=\"9\" height=\"18\" fill=\"#848484\"/>");
}

#[test]
fn xml_characters_are_escaped() {
    assert!(body("<a> & \"b\"")[0].contains(">&lt;a&gt; &amp; &quot;b&quot;<"));
    assert!(svg("a \"<\u{1}", &drawn(""), &LIGHT).contains("<title>a &quot;&lt;\u{fffd}</title>"));
}

#[test]
fn same_screen_gives_same_bytes() {
    let text = "def total(self):\r\n    return sum(1, 2)";
    let once = svg("t", &drawn(text), &LIGHT);
    assert_eq!(once, svg("t", &drawn(text), &LIGHT));
    let mut selected = String::new();
    for piece in once.split('<').filter_map(|piece| piece.split_once('>')) {
        selected.push_str(piece.1);
    }
    assert_eq!(selected.trim(), "t\n\ndef total(self):\n    return sum(1, 2)");
}

#[test]
fn dim_lies_between_text_and_background() {
    assert_eq!(mix(0xffffff, 0x000000), 0x999999);
    assert_eq!(colour(Color::Idx(255), 0, &DARK), 0xeeeeee);
    assert_eq!(colour(Color::Idx(231), 0, &DARK), 0xffffff);
}
