//! Frames of the terminal desk: arranged, drawn, compared with the last one, and written as bytes for the
//! terminal.

#[path = "../../desk/benches/inputs/mod.rs"]
mod inputs;

use std::time::Duration;

use alongside_desk::{Event, Review};
use alongside_terminal::bench_desk::{BenchDesk, Input, KeyCode, MouseEventKind};
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
fn reading(lines: usize, unfolded: bool) -> BenchDesk {
    let mut desk = BenchDesk::new(SCREEN);
    desk.receive(Event::Opened(proposal(lines)));
    desk.draw_frame();
    if unfolded {
        desk.open_folds();
    }
    desk.draw_until_coloured();
    desk
}

/// From what a desk is told to the first frame.
#[divan::bench(args = few_in_tests(LINES), max_time = 5)]
fn first(bencher: Bencher<'_, '_>, lines: usize) {
    let proposal = proposal(lines);
    let inputs = || {
        // Meanwhile the thread ends that colours the one before.
        std::thread::sleep(if cfg!(test) { Duration::ZERO } else { Duration::from_millis(100) });
        (BenchDesk::new(SCREEN), Event::Opened(proposal.clone()))
    };
    bencher.with_inputs(inputs).bench_local_values(|(mut desk, event)| {
        hot_first(&mut desk, event);
        desk
    });
}

#[inline(never)]
fn hot_first(desk: &mut BenchDesk, event: Event) -> usize {
    desk.receive(event);
    black_box(desk.draw_frame())
}

fn moved(bencher: Bencher<'_, '_>, mut desk: BenchDesk, there: Input, back: Input) {
    bencher.bench_local(|| hot_there_and_back(&mut desk, there, back));
}

/// Two frames: the samples all begin in the same place.
#[inline(never)]
fn hot_there_and_back(desk: &mut BenchDesk, there: Input, back: Input) -> usize {
    desk.handle_input(there);
    let drawn = desk.draw_frame();
    desk.handle_input(back);
    drawn + desk.draw_frame()
}

/// Nothing has changed.
#[divan::bench(args = few_in_tests(LINES))]
fn same(bencher: Bencher<'_, '_>, lines: usize) {
    let mut desk = reading(lines, true);
    bencher.bench_local(|| hot_same(&mut desk));
}

#[inline(never)]
fn hot_same(desk: &mut BenchDesk) -> usize {
    black_box(desk.draw_frame())
}

#[divan::bench(args = few_in_tests(LINES))]
fn wheel_down_and_up(bencher: Bencher<'_, '_>, lines: usize) {
    moved(
        bencher,
        reading(lines, true),
        Input::Wheel(MouseEventKind::ScrollDown),
        Input::Wheel(MouseEventKind::ScrollUp),
    );
}

#[divan::bench(args = few_in_tests(LINES))]
fn page_down_and_up(bencher: Bencher<'_, '_>, lines: usize) {
    moved(bencher, reading(lines, true), Input::Key(KeyCode::PageDown), Input::Key(KeyCode::PageUp));
}

#[divan::bench(args = few_in_tests(LINES))]
fn next_change_and_back(bencher: Bencher<'_, '_>, lines: usize) {
    moved(bencher, reading(lines, true), Input::Key(KeyCode::Down), Input::Key(KeyCode::Up));
}

#[divan::bench(args = few_in_tests(LINES))]
fn next_change_and_back_folded(bencher: Bencher<'_, '_>, lines: usize) {
    moved(bencher, reading(lines, false), Input::Key(KeyCode::Down), Input::Key(KeyCode::Up));
}

#[divan::bench(args = few_in_tests(LINES))]
fn to_the_end_and_back(bencher: Bencher<'_, '_>, lines: usize) {
    moved(bencher, reading(lines, true), Input::Key(KeyCode::End), Input::Key(KeyCode::Home));
}

fn main() {
    divan::main();
}
