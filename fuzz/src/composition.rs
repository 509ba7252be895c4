//! Hunks of a review. All hunks kept give the proposal. All hunks dropped give the original in the proposal's
//! line endings. Any choice gives the original with the patch of the kept hunks.

use alongside_companion::fuzzing::ReviewComposition;
use alongside_desk::{Change, HunkState, Position, Range};

/// Checks the texts of one review. The input is the person's actions, the file on disk and the proposal,
/// separated by bytes 0xff.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == 0xff);
    let (Some(actions), Some(on_disk), Some(proposed)) = (parts.next(), parts.next(), parts.next()) else {
        return;
    };
    let Ok(proposed) = std::str::from_utf8(proposed) else { return };
    let Some(mut composition) = ReviewComposition::new(on_disk, proposed) else {
        assert!(on_disk.contains(&0) || std::str::from_utf8(on_disk).is_err(), "every text can be compared");
        return;
    };
    let on_disk = std::str::from_utf8(on_disk).expect("the file is text");
    let original = normalized(on_disk, proposed);
    assert_eq!(composition.original(), original);
    let hunks = composition.hunks();
    assert_eq!(composition.current(), proposed, "all hunks are kept at first");
    assert!(hunks.iter().all(|hunk| hunk.state == HunkState::Kept));

    // The bits of the actions choose the hunks to drop.
    let is_kept: Vec<bool> = (0..hunks.len())
        .map(|hunk| {
            let bits = actions.get(hunk / 8 % actions.len().max(1));
            bits.is_none_or(|bits| bits >> (hunk % 8) & 1 == 0)
        })
        .collect();
    let dropped: Vec<usize> = (0..hunks.len()).filter(|hunk| !is_kept[*hunk]).collect();
    composition.keep(&dropped, false).expect("the hunks exist");
    let old: Vec<&str> = original.split_inclusive('\n').collect();
    let new: Vec<&str> = proposed.split_inclusive('\n').collect();
    let patch = hunks.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(hunk, _)| {
        (hunk.original.start..hunk.original.end, &new[hunk.proposed.start..hunk.proposed.end])
    });
    let ending = if proposed.contains("\r\n") { "\r\n" } else { "\n" };
    assert_eq!(composition.current(), patched(&old, patch.collect(), ending));

    check_all_and_none(&mut composition, proposed, &original);
    for action in actions.chunks_exact(4).take(16) {
        let before = composition.current().to_owned();
        if !perform(&mut composition, action) {
            assert_eq!(composition.current(), before, "a refused action changes nothing");
        }
        check_agreement(&composition, &original, proposed);
    }
    check_all_and_none(&mut composition, proposed, &original);
    let last = composition.current().to_owned();
    while composition.undo().is_ok() {}
    assert_eq!(composition.current(), proposed, "undoing everything gives the first text");
    while composition.redo().is_ok() {}
    assert_eq!(composition.current(), last, "redoing everything gives the last text");
}

/// Checks the text with all hunks kept, and with all dropped.
fn check_all_and_none(composition: &mut ReviewComposition, proposed: &str, original: &str) {
    for (keep, expected) in [(true, proposed), (false, original)] {
        let all: Vec<usize> = (0..composition.hunks().len()).collect();
        composition.keep(&all, keep).expect("the hunks exist");
        assert_eq!(composition.current(), expected, "all hunks kept: {keep}");
    }
}

/// Returns the text of `old` with a patch applied, the last hunk first.
fn patched(old: &[&str], patch: Vec<(std::ops::Range<usize>, &[&str])>, ending: &str) -> String {
    let mut lines = old.to_vec();
    for (range, new) in patch.into_iter().rev() {
        lines.splice(range, new.iter().copied());
    }
    let mut text = String::new();
    for line in lines {
        if !text.is_empty() && !text.ends_with('\n') {
            // The line was the last one of its text, and had no ending.
            text.push_str(ending);
        }
        text.push_str(line);
    }
    text
}

/// Returns a second implementation of the rule for the original. It gets the proposal's byte-order mark, and
/// the proposal's line ending if each text uses only one.
fn normalized(on_disk: &str, proposed: &str) -> String {
    let bare = on_disk.strip_prefix('\u{feff}').unwrap_or(on_disk);
    let bom = if proposed.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    // The ending that all lines with an ending share.
    let ending = |text: &str| {
        let lines = || text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let crlf = lines().filter(|line| line.ends_with("\r\n")).count();
        match (lines().count(), crlf) {
            (0, _) => None,
            (_, 0) => Some("\n"),
            (all, crlf) if all == crlf => Some("\r\n"),
            _ => None,
        }
    };
    let bare = match (ending(bare), ending(proposed)) {
        (Some(from), Some(to)) if from != to => bare.split(from).collect::<Vec<_>>().join(to),
        _ => bare.to_owned(),
    };
    format!("{bom}{bare}")
}

/// Performs an action of four bytes. Returns false if it is refused.
fn perform(composition: &mut ReviewComposition, action: &[u8]) -> bool {
    const TYPED: [&str; 8] = ["", "\n", "a", "b\n", "\r\n", "é😀", "a b\nc\n", "\r"];
    let [kind, one, two, three] = *action else { return false };
    let at = |line: u8, character: u8| Position { line: u32::from(line), character: u32::from(character) };
    match kind % 6 {
        0 => composition.keep(&[usize::from(one)], two & 1 == 0).is_ok(),
        1 => composition.split(usize::from(one)).is_ok(),
        2 => {
            let range = Range { start: at(one % 16, two), end: at(one % 16 + (three >> 5), three & 0x1f) };
            let text = TYPED[usize::from(kind / 6) % TYPED.len()].to_owned();
            composition.edit(&[Change { range: Some(range), text }]).is_ok()
        }
        3 => composition.undo().is_ok(),
        5 => composition.redo().is_ok(),
        _ => {
            let text = TYPED[usize::from(one) % TYPED.len()].repeat(usize::from(two % 4));
            composition.edit(&[Change { range: None, text }]).is_ok()
        }
    }
}

/// Checks the three texts line by line: outside hunks they are equal, and inside a hunk the current text is
/// that of the hunk's state.
fn check_agreement(composition: &ReviewComposition, original: &str, proposed: &str) {
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let (old, new, now) = (lines(original), lines(proposed), lines(composition.current()));
    let (mut o, mut p, mut c) = (0, 0, 0);
    for hunk in composition.hunks() {
        assert_eq!(old[o..hunk.original.start], now[c..hunk.current.start]);
        assert_eq!(new[p..hunk.proposed.start], now[c..hunk.current.start]);
        (o, p, c) = (hunk.original.end, hunk.proposed.end, hunk.current.end);
        let bare = |lines: &[String]| {
            let text = lines.concat();
            text.strip_suffix('\n')
                .map_or(text.clone(), |text| text.strip_suffix('\r').unwrap_or(text).to_owned())
        };
        let current = bare(&now[hunk.current.start..hunk.current.end]);
        match hunk.state {
            HunkState::Kept => assert_eq!(current, bare(&new[hunk.proposed.start..hunk.proposed.end])),
            HunkState::Dropped => assert_eq!(current, bare(&old[hunk.original.start..hunk.original.end])),
            HunkState::Edited => {}
        }
    }
    assert_eq!(old[o..], now[c..]);
    assert_eq!(new[p..], now[c..]);
}
