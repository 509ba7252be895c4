//! A review as rows on a screen: [`Page`] knows where everything is; the other files draw it and search it.

mod cells;
mod draw;
mod find;
mod line;
mod model;
mod rows;
#[cfg(test)]
mod tests;
mod texts;

pub(crate) use draw::DrawOptions;
pub(crate) use find::Needle;
pub(crate) use model::Page;
