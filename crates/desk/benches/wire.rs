//! The cost of sending a proposal through the socket to a desk, and of the first access to the lines of a
//! text.

#[path = "inputs/mod.rs"]
mod inputs;

use alongside_desk::socket::wire;
use alongside_desk::{Event, Position, Text, fuzzing, replacement};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use inputs::{few_in_tests, review, source};

/// Lines of a review; 250,000 are 10 MB.
const LINES: &[usize] = &[250, 25_000, 250_000];

#[divan::bench(args = few_in_tests(LINES), max_time = 1)]
fn opened_out(bencher: Bencher<'_, '_>, lines: usize) {
    let event = Event::Opened(review(lines, lines.min(400) / 10));
    bencher.bench(|| hot_opened_out(&event));
}

#[inline(never)]
fn hot_opened_out(event: &Event) -> String {
    black_box(wire::event(event))
}

#[divan::bench(args = few_in_tests(LINES), max_time = 1)]
fn opened_in(bencher: Bencher<'_, '_>, lines: usize) {
    let message = wire::event(&Event::Opened(review(lines, lines.min(400) / 10)));
    assert!(fuzzing::read_event(message.as_bytes()).is_some());
    bencher.counter(BytesCount::of_str(&message)).bench(|| hot_opened_in(message.as_bytes()));
}

#[inline(never)]
fn hot_opened_in(message: &[u8]) -> Option<Event> {
    black_box(fuzzing::read_event(message))
}

const BYTES: &[usize] = &[10 << 10, 1 << 20, 10 << 20];

/// Finds the starts of the lines.
#[divan::bench(args = few_in_tests(BYTES), max_time = 1)]
fn lines(bencher: Bencher<'_, '_>, bytes: usize) {
    let text: std::sync::Arc<str> = source(bytes).into();
    bencher.counter(BytesCount::of_str(&*text)).bench(|| hot_lines(&text));
}

#[inline(never)]
fn hot_lines(text: &std::sync::Arc<str>) -> Text {
    black_box(Text::new(text.clone()))
}

/// Finds the change after the person typed a character.
#[divan::bench(args = few_in_tests(BYTES), max_time = 1)]
fn typed(bencher: Bencher<'_, '_>, bytes: usize) {
    let old = source(bytes);
    let mut new = old.clone();
    new.insert(bytes / 2, 'x');
    bencher.counter(BytesCount::of_str(&old)).bench(|| replacement(&old, &new));
}

/// Finds the position of a character in a line of a hundred thousand characters.
#[divan::bench]
fn far_right(bencher: Bencher<'_, '_>) {
    let text = Text::new("é".repeat(100_000));
    bencher.bench(|| text.offset(Position { line: 0, character: 99_999 }));
}

fn main() {
    divan::main();
}
