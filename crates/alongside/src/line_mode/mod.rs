//! Line mode: reviews in a terminal, a pipe or a screen reader, hunk by hunk in the manner of `git add
//! -p`. [`json`] is the desk for programs.

mod accept_all;
mod accepted;
mod activity;
mod arrivals;
mod changed_line;
mod desk;
#[cfg(test)]
mod drafts_in_memory;
mod dropped_list;
mod due;
mod ending;
mod find;
mod hunk_lines;
pub(crate) mod json;
mod keeping;
mod kept_changes;
mod letters;
mod line_reader;
mod navigation;
mod open_prompt;
#[cfg(test)]
mod output_in_memory;
mod pages;
mod place_printing;
mod printed;
mod printer;
mod prompts;
mod reading;
pub(crate) mod render;
mod requests;
mod review_edits;
pub(crate) mod turn;
mod undo;
mod unsent_reasons;
mod waiting_list;
mod waiting_reviews;
mod work;

pub(crate) use desk::LineDesk;
pub(crate) use ending::{Ending, Policy};
pub(crate) use line_reader::LineReader;
pub(crate) use printer::{Ink, Inks};
