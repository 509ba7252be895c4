//! A review as rows on a screen: [`Page`] knows where everything is; the other files draw it and search it.

mod cells;
mod columns;
mod draw;
mod find;
mod line;
mod model;
mod page_rows;
mod rows;
#[cfg(test)]
mod tests;
mod texts;
mod wrapping;

pub(crate) use draw::DrawOptions;
pub(crate) use find::{Match, Needle};
pub(crate) use model::{Page, PageForm};
