//! Frames of the terminal desk: arranged, drawn, compared with the last one, and written as bytes for the
//! terminal.

#[path = "../../desk/benches/inputs/mod.rs"]
mod inputs;

use std::time::Duration;

use alongside_desk::{Event, Review};
use alongside_terminal::benching::{KeyCode, MouseEventKind, Move, Stage};
use divan::{Bencher, black_box};
use inputs::{few_in_tests, review};

/// Lines of the file; 400 of them, or a tenth, are changed.
const LINES: &[usize] = &[1_000, 200_000];

/// Columns and rows.
const SCREEN: (u16, u16) = (160, 50);

fn proposal(lines: usize) -> Review {
    review(lines, 400.min(lines / 10))
}

/// A desk on which a review is read, with the colours of what is in sight.
fn reading(lines: usize, unfolded: bool) -> Stage {
    let mut stage = Stage::new(SCREEN);
    stage.told(Event::Opened(proposal(lines)));
    stage.frame();
    if unfolded {
        stage.unfold();
    }
    stage.coloured();
    stage
}

/// From what a desk is told to the first frame.
#[divan::bench(args = few_in_tests(LINES), max_time = 5)]
fn first(bencher: Bencher<'_, '_>, lines: usize) {
    let proposal = proposal(lines);
    let inputs = || {
        // Meanwhile the thread ends that colours the one before.
        std::thread::sleep(if cfg!(test) { Duration::ZERO } else { Duration::from_millis(100) });
        (Stage::new(SCREEN), Event::Opened(proposal.clone()))
    };
    bencher.with_inputs(inputs).bench_local_values(|(mut stage, event)| {
        hot_first(&mut stage, event);
        stage
    });
}

#[inline(never)]
fn hot_first(stage: &mut Stage, event: Event) -> usize {
    stage.told(event);
    black_box(stage.frame())
}

fn moved(bencher: Bencher<'_, '_>, mut stage: Stage, there: Move, back: Move) {
    bencher.bench_local(|| hot_there_and_back(&mut stage, there, back));
}

/// Two frames: the samples all begin in the same place.
#[inline(never)]
fn hot_there_and_back(stage: &mut Stage, there: Move, back: Move) -> usize {
    stage.moved(there);
    let drawn = stage.frame();
    stage.moved(back);
    drawn + stage.frame()
}

/// Nothing has changed.
#[divan::bench(args = few_in_tests(LINES))]
fn same(bencher: Bencher<'_, '_>, lines: usize) {
    let mut stage = reading(lines, true);
    bencher.bench_local(|| hot_same(&mut stage));
}

#[inline(never)]
fn hot_same(stage: &mut Stage) -> usize {
    black_box(stage.frame())
}

#[divan::bench(args = few_in_tests(LINES))]
fn wheel_down_and_up(bencher: Bencher<'_, '_>, lines: usize) {
    moved(
        bencher,
        reading(lines, true),
        Move::Wheel(MouseEventKind::ScrollDown),
        Move::Wheel(MouseEventKind::ScrollUp),
    );
}

#[divan::bench(args = few_in_tests(LINES))]
fn page_down_and_up(bencher: Bencher<'_, '_>, lines: usize) {
    moved(bencher, reading(lines, true), Move::Key(KeyCode::PageDown), Move::Key(KeyCode::PageUp));
}

#[divan::bench(args = few_in_tests(LINES))]
fn next_change_and_back(bencher: Bencher<'_, '_>, lines: usize) {
    moved(bencher, reading(lines, true), Move::Key(KeyCode::Down), Move::Key(KeyCode::Up));
}

#[divan::bench(args = few_in_tests(LINES))]
fn next_change_and_back_folded(bencher: Bencher<'_, '_>, lines: usize) {
    moved(bencher, reading(lines, false), Move::Key(KeyCode::Down), Move::Key(KeyCode::Up));
}

#[divan::bench(args = few_in_tests(LINES))]
fn to_the_end_and_back(bencher: Bencher<'_, '_>, lines: usize) {
    moved(bencher, reading(lines, true), Move::Key(KeyCode::End), Move::Key(KeyCode::Home));
}

fn main() {
    divan::main();
}
