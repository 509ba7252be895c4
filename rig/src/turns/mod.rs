//! The proof of turn reviews: after random changes and random marks, the tree is byte for byte as decided,
//! and nothing else has changed.
//!
//! A [`Life`] is the life of a project with its repository, which a seed determines: snapshots as the hooks
//! take them, changes, and turn reviews, each of which begins with the baseline of the last one. The reviews
//! use the companion as a library, with its main loop and the store on disk, but without a host. The [judge]
//! uses only the files on disk and the messages to a desk, and no code of the product.

mod change;
mod desk;
mod judge;
mod life;
mod many;
mod marking;
mod play;
mod stage;
mod text;
mod tree;

pub use life::{Life, Step};
pub use many::undo_all;
pub use play::{Counts, minimise, play};
