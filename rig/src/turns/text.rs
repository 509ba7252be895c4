//! Texts and bytes as agents, editors and builds write them. A number determines each text, so that a step of
//! a life needs only the number.

use crate::rng::Rng;

const LINES: [&str; 8] = ["a", "b", "c", "", "x y", "\tz", "the same", "\u{e9}"];
const ENDS: [&str; 3] = ["\n", "\r\n", "\r"];

/// Returns the bytes of a seed.
pub(super) fn new(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    match rng.below(20) {
        0 => Vec::new(),
        1 => (0..rng.below(30)).map(|_| rng.below(256) as u8).collect(),
        2 => [b"\xef\xbb\xbf".to_vec(), lines(&mut rng, 4)].concat(),
        3 => vec![b'\n'; rng.index(4)],
        4 => lines(&mut rng, 300),
        _ => lines(&mut rng, 12),
    }
}

/// Returns a variant of a text with some different lines.
pub(super) fn edited(old: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut lines: Vec<Vec<u8>> = old.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=rng.below(4) {
        let at = rng.index(lines.len() + 1);
        match rng.below(10) {
            0..4 if at < lines.len() => lines[at] = line(&mut rng, 0),
            4..6 if at < lines.len() => drop(lines.remove(at)),
            6 if at < lines.len() => {
                // Changes only the line ending, as an editor with another setting does.
                let swapped: Vec<u8> = match lines[at].strip_suffix(b"\r\n") {
                    Some(text) => [text, b"\n"].concat(),
                    None => [lines[at].strip_suffix(b"\n").unwrap_or(&lines[at]), b"\r\n"].concat(),
                };
                lines[at] = swapped;
            }
            7 => {
                if let Some(text) =
                    lines.last_mut().and_then(|last| last.strip_suffix(b"\n").map(<[u8]>::to_vec))
                {
                    lines.pop();
                    lines.push(text);
                }
            }
            _ => lines.insert(at, line(&mut rng, 0)),
        }
    }
    lines.concat()
}

/// Returns different bytes of the same length.
pub(super) fn same_length(old: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut new = old.to_vec();
    if !new.is_empty() {
        let at = rng.index(new.len());
        new[at] = if new[at] == b'q' { b'p' } else { b'q' };
    }
    new
}

fn lines(rng: &mut Rng, most: u64) -> Vec<u8> {
    let end = usize::from(rng.percent(15));
    let mut text: Vec<u8> = (0..rng.below(most)).flat_map(|_| line(rng, end)).collect();
    if rng.percent(20) {
        text.pop();
    }
    text
}

fn line(rng: &mut Rng, end: usize) -> Vec<u8> {
    let end = if rng.percent(5) { rng.index(ENDS.len()) } else { end };
    format!("{}{}", LINES[rng.index(LINES.len())], ENDS[end]).into_bytes()
}
