//! Benches of a review: from two texts to hunks, and from a person's actions to the accepted text.
//!
//! In all benches, `cargo xtask counts` counts the instructions in the functions `hot_…`. A `black_box`
//! around the result of such a function prevents a tail call, after which nothing would be counted.

#![allow(clippy::expect_used, reason = "a bench that cannot run says why")]

#[path = "../../desk/benches/inputs/mod.rs"]
mod inputs;

use alongside_companion::desk::{Change, Hunk, Position, Range};
use alongside_companion::fuzzing::{self, ReviewComposition};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use inputs::{Case, few_in_tests};

const COMPARED_TEXTS: &[Case] = &[
    Case::bytes(1 << 10, 1),
    Case::bytes(10 << 10, 4),
    Case::bytes(10 << 10, 40),
    Case::bytes(100 << 10, 4),
    Case::bytes(100 << 10, 100),
    Case::bytes(1 << 20, 4),
    Case::bytes(1 << 20, 400),
    Case::bytes(10 << 20, 4),
    Case::bytes(10 << 20, 400),
    Case::bytes(10 << 20, 4000),
    Case::bytes(64 << 20, 400),
    Case::lines(200_000, 4),
    Case::lines(200_000, 400),
    Case::lines(200_000, 4000),
];

/// Compares a proposal with the file on disk.
#[divan::bench(args = few_in_tests(COMPARED_TEXTS), max_time = 2)]
fn hunks(bencher: Bencher<'_, '_>, case: &Case) {
    let (old, new) = case.texts();
    let composed = ReviewComposition::without_time_limit(old.as_bytes(), &new).expect("text can be compared");
    assert_eq!(composed.hunks().len(), case.edits, "each edit is a hunk");
    bencher.counter(BytesCount::of_str(&new)).bench(|| hot_hunks(old.as_bytes(), &new));
}

#[inline(never)]
fn hot_hunks(on_disk: &[u8], proposed: &str) -> Vec<Hunk> {
    black_box(
        ReviewComposition::without_time_limit(on_disk, proposed)
            .map(|composed| composed.hunks())
            .unwrap_or_default(),
    )
}

/// Takes all steps of a new proposal before the main loop gets it, and reads its file.
#[divan::bench(args = few_in_tests(COMPARED_TEXTS), max_time = 2)]
fn prepared(bencher: Bencher<'_, '_>, case: &Case) {
    let (old, new) = case.texts();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("basket.rs");
    std::fs::write(&path, &old).expect("the file is written");
    let path = path.to_string_lossy();
    bencher
        .counter(BytesCount::of_str(&new))
        .with_inputs(|| (path.to_string(), new.clone()))
        .bench_values(|(path, new)| hot_prepared(path, new));
}

#[inline(never)]
fn hot_prepared(path: String, proposed: String) -> Option<impl Sized> {
    black_box(fuzzing::prepare(path, proposed))
}

/// The texts in which hunks are dropped or edited, with the hunks computed again after each step.
const EDITED_TEXTS: &[Case] = &[
    Case::bytes(10 << 10, 4),
    Case::bytes(1 << 20, 400),
    Case::bytes(10 << 20, 400),
    Case::bytes(10 << 20, 4000),
];

fn compose(case: &Case) -> ReviewComposition {
    let (old, new) = case.texts();
    ReviewComposition::without_time_limit(old.as_bytes(), &new).expect("text can be compared")
}

fn bench_drop_and_keep(bencher: Bencher<'_, '_>, case: &Case, is_chosen: impl Fn(usize) -> bool) {
    let hunks: Vec<usize> = (0..case.edits).filter(|hunk| is_chosen(*hunk)).collect();
    let mut composed = compose(case);
    bencher.bench_local(|| hot_dropped_and_kept(&mut composed, &hunks));
}

/// Drops hunks and keeps them, so that every sample begins alike, and undoes both steps, so that memory does
/// not grow.
#[inline(never)]
fn hot_dropped_and_kept(composed: &mut ReviewComposition, hunks: &[usize]) -> usize {
    // The caller gets the number of hunks, so that the compiler does not leave the work out.
    let mut count = 0;
    for keep in [false, true] {
        composed.keep(hunks, keep).expect("the hunks exist");
        count += composed.hunks().len();
    }
    composed.undo().and_then(|()| composed.undo()).expect("both steps can be undone");
    count
}

#[divan::bench(args = few_in_tests(EDITED_TEXTS), max_time = 1)]
fn all_dropped(bencher: Bencher<'_, '_>, case: &Case) {
    bench_drop_and_keep(bencher, case, |_| true);
}

#[divan::bench(args = few_in_tests(EDITED_TEXTS), max_time = 1)]
fn half_dropped(bencher: Bencher<'_, '_>, case: &Case) {
    bench_drop_and_keep(bencher, case, |hunk| hunk % 2 == 0);
}

#[divan::bench(args = few_in_tests(EDITED_TEXTS), max_time = 1)]
fn one_dropped(bencher: Bencher<'_, '_>, case: &Case) {
    bench_drop_and_keep(bencher, case, |hunk| hunk == case.edits / 2);
}

#[divan::bench(args = few_in_tests(EDITED_TEXTS), max_time = 1)]
fn none_dropped(bencher: Bencher<'_, '_>, case: &Case) {
    bench_drop_and_keep(bencher, case, |_| false);
}

/// Types a character in the middle.
#[divan::bench(args = few_in_tests(EDITED_TEXTS), max_time = 1)]
fn typed(bencher: Bencher<'_, '_>, case: &Case) {
    let mut composed = compose(case);
    let change = one_character_change(&composed);
    bencher.bench_local(|| hot_typed(&mut composed, &change));
}

#[inline(never)]
fn hot_typed(composed: &mut ReviewComposition, change: &Change) -> usize {
    composed.edit(std::slice::from_ref(change)).expect("the position exists");
    let count = composed.hunks().len();
    composed.undo().expect("the edit can be undone");
    count
}

/// Drops half of the hunks after an edit.
#[divan::bench(args = few_in_tests(EDITED_TEXTS), max_time = 1)]
fn half_dropped_after_typing(bencher: Bencher<'_, '_>, case: &Case) {
    let mut composed = compose(case);
    composed.edit(&[one_character_change(&composed)]).expect("the position exists");
    let hunks: Vec<usize> = (0..composed.hunks().len()).step_by(2).collect();
    bencher.bench_local(|| hot_dropped_and_kept(&mut composed, &hunks));
}

/// Returns a change within a hunk, after which the number of hunks is the same.
fn one_character_change(composed: &ReviewComposition) -> Change {
    let hunks = composed.hunks();
    let line = u32::try_from(hunks[hunks.len() / 2].current.start).unwrap_or_default();
    let at = Position { line, character: 0 };
    Change { range: Some(Range { start: at, end: at }), text: "x".into() }
}

/// The numbers of lines with one changed word each: at most 200, since more lines are compared in blocks.
const LINES: &[usize] = &[1, 10, 100];

#[divan::bench(args = few_in_tests(LINES), max_time = 1)]
fn words(bencher: Bencher<'_, '_>, lines: usize) {
    let old: String = inputs::source(200 * lines).split_inclusive('\n').take(lines).collect();
    let new = old.replace("first", "second").replace("Says", "Tells");
    bencher.counter(BytesCount::of_str(&new)).bench(|| hot_words(&old, &new));
}

#[inline(never)]
fn hot_words(old: &str, new: &str) -> usize {
    black_box(fuzzing::words(old, new).map_or(0, |words| words.removed.len() + words.added.len()))
}

fn main() {
    divan::main();
}
