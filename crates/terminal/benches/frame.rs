//! Measures frames of the terminal desk: the layout, the drawing, the comparison with the last frame, and the
//! bytes for the terminal. Also measures the work on a change that line mode prints.

#[path = "../../desk/benches/inputs/mod.rs"]
mod inputs;

use std::time::Duration;

use alongside_desk::{Event, Hunk, Review};
use alongside_terminal::HunkEmphasis;
use alongside_terminal::bench_desk::{BenchDesk, Input, KeyCode, MouseEventKind};
use divan::{Bencher, black_box};
use inputs::{few_in_tests, review};

/// The numbers of lines of the file. The proposal changes 400 of the lines, or a tenth if that is fewer.
const LINE_COUNTS: &[usize] = &[1_000, 200_000];

/// The columns and rows of the screen.
const SCREEN_SIZE: (u16, u16) = (160, 50);

fn proposal(lines: usize) -> Review {
    review(lines, 400.min(lines / 10))
}

/// Creates a desk that shows a review, with the colours of all visible lines.
fn desk_with_review(lines: usize, unfolded: bool) -> BenchDesk {
    let mut desk = BenchDesk::new(SCREEN_SIZE);
    desk.receive(Event::Opened(proposal(lines)));
    desk.draw_frame();
    if unfolded {
        desk.open_folds();
    }
    desk.draw_until_coloured();
    desk
}

/// Measures the time from the event of the proposal to the first frame.
#[divan::bench(args = few_in_tests(LINE_COUNTS), max_time = 5)]
fn first(bencher: Bencher<'_, '_>, lines: usize) {
    let proposal = proposal(lines);
    let inputs = || {
        // The pause lets the highlighter's thread of the previous desk end.
        std::thread::sleep(if cfg!(test) { Duration::ZERO } else { Duration::from_millis(100) });
        (BenchDesk::new(SCREEN_SIZE), Event::Opened(proposal.clone()))
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

fn measure(bencher: Bencher<'_, '_>, mut desk: BenchDesk, there: Input, back: Input) {
    bencher.bench_local(|| hot_there_and_back(&mut desk, there, back));
}

/// Draws two frames, so that each sample begins in the same place.
#[inline(never)]
fn hot_there_and_back(desk: &mut BenchDesk, there: Input, back: Input) -> usize {
    desk.handle_input(there);
    let drawn = desk.draw_frame();
    desk.handle_input(back);
    drawn + desk.draw_frame()
}

/// Measures a frame that equals the last one.
#[divan::bench(args = few_in_tests(LINE_COUNTS))]
fn same(bencher: Bencher<'_, '_>, lines: usize) {
    let mut desk = desk_with_review(lines, true);
    bencher.bench_local(|| hot_same(&mut desk));
}

#[inline(never)]
fn hot_same(desk: &mut BenchDesk) -> usize {
    black_box(desk.draw_frame())
}

#[divan::bench(args = few_in_tests(LINE_COUNTS))]
fn wheel_down_and_up(bencher: Bencher<'_, '_>, lines: usize) {
    measure(
        bencher,
        desk_with_review(lines, true),
        Input::Wheel(MouseEventKind::ScrollDown),
        Input::Wheel(MouseEventKind::ScrollUp),
    );
}

#[divan::bench(args = few_in_tests(LINE_COUNTS))]
fn page_down_and_up(bencher: Bencher<'_, '_>, lines: usize) {
    measure(
        bencher,
        desk_with_review(lines, true),
        Input::Key(KeyCode::PageDown),
        Input::Key(KeyCode::PageUp),
    );
}

#[divan::bench(args = few_in_tests(LINE_COUNTS))]
fn next_change_and_back(bencher: Bencher<'_, '_>, lines: usize) {
    measure(bencher, desk_with_review(lines, true), Input::Key(KeyCode::Down), Input::Key(KeyCode::Up));
}

#[divan::bench(args = few_in_tests(LINE_COUNTS))]
fn next_change_and_back_folded(bencher: Bencher<'_, '_>, lines: usize) {
    measure(bencher, desk_with_review(lines, false), Input::Key(KeyCode::Down), Input::Key(KeyCode::Up));
}

#[divan::bench(args = few_in_tests(LINE_COUNTS))]
fn to_the_end_and_back(bencher: Bencher<'_, '_>, lines: usize) {
    measure(bencher, desk_with_review(lines, true), Input::Key(KeyCode::End), Input::Key(KeyCode::Home));
}

/// Measures the emphasis on a change in the middle, which does not grow with the text: the review knows the
/// lines of its texts.
#[divan::bench(args = few_in_tests(LINE_COUNTS))]
fn emphasis_of_a_change(bencher: Bencher<'_, '_>, lines: usize) {
    let review = proposal(lines);
    let hunk = &review.hunks[review.hunks.len() / 2];
    drop(review.texts());
    bencher.bench_local(|| hot_emphasis(&review, hunk));
}

#[inline(never)]
fn hot_emphasis(review: &Review, hunk: &Hunk) -> HunkEmphasis {
    black_box(HunkEmphasis::new(review, hunk))
}

fn main() {
    divan::main();
}
