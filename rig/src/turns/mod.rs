//! The proof of turn reviews: whatever an agent, a shell and a person did to a project, and whatever was
//! marked then, the tree is byte for byte as it was decided, and nothing else has changed.
//!
//! A [`Life`] is that of one project with its repository, a pure function of its seed: snapshots as the hooks
//! take them, changes, and reviews, each of which begins with the baseline that the last one left. The
//! reviews go through a companion with its main loop and registry, and the store on disk; only the process
//! around them is missing. The [judge] knows what was on disk and what a desk was told, and none of our code.

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
pub use play::{Played, minimise, play};
