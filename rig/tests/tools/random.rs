//! Random files and texts, of lines that tools confuse: they differ in indentation, spaces, dashes or line
//! ends.

use alongside_rig::rng::Rng;

/// The lines of random texts.
const LINES: [&str; 22] = [
    "one",
    "two",
    "three",
    "  one",
    "\tone",
    "one ",
    "",
    " ",
    "x = \"y\"",
    "x = “y”",
    "a - b",
    "a – b",
    "it's",
    "é🦀",
    "fn f() {",
    "}",
    "*** End Patch",
    "@@ one",
    "+two",
    "-two",
    "$& $1",
    "\\n",
];

/// Returns a random element of a slice.
pub(crate) fn any<'a, T: ?Sized>(rng: &mut Rng, elements: &[&'a T]) -> &'a T {
    elements[rng.index(elements.len())]
}

/// Returns a random line, without a line end.
pub(crate) fn line(rng: &mut Rng) -> &'static str {
    any(rng, &LINES)
}

/// Returns a random text with `\n` as line ends. The last line may have none.
pub(crate) fn text(rng: &mut Rng) -> String {
    let lines = rng.below(9);
    let mut text: String = (0..lines).map(|_| format!("{}\n", line(rng))).collect();
    if rng.percent(20) {
        text.pop();
    }
    text
}

/// Returns the bytes of a random file, which is mostly a text, with any line ends.
pub(crate) fn file(rng: &mut Rng) -> Vec<u8> {
    let text = text(rng);
    let text = match rng.below(20) {
        0..=2 => text.replace('\n', "\r\n"),
        3..=5 => text.split_inclusive('\n').map(|line| other_end(rng, line)).collect(),
        6 => text.replace("one", "o\rne"),
        _ => text,
    };
    let mark = if rng.percent(6) { "\u{feff}" } else { "" };
    let mut bytes = format!("{mark}{text}").into_bytes();
    if rng.percent(3) {
        bytes.extend(b"caf\xe9\n");
    }
    bytes
}

/// Returns a line that may have `\r\n` as its line end.
fn other_end(rng: &mut Rng, line: &str) -> String {
    match (line.strip_suffix('\n'), rng.percent(50)) {
        (Some(line), true) => format!("{line}\r\n"),
        _ => line.to_owned(),
    }
}

/// Returns a text like this one, with some lines added and removed, or with other line ends.
pub(crate) fn edited(rng: &mut Rng, text: &str) -> String {
    let mut edited = String::new();
    for part in text.split_inclusive('\n') {
        if rng.percent(15) {
            edited.extend([line(rng), if part.ends_with("\r\n") { "\r\n" } else { "\n" }]);
        }
        if !rng.percent(15) {
            edited.push_str(part);
        }
    }
    match rng.below(12) {
        0 => edited.replace("\r\n", "\n"),
        1 => edited.trim_end().to_owned(),
        2 => String::new(),
        _ => edited,
    }
}
