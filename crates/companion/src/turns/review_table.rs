//! The turn reviews of all working trees, and the ways to find one: by its id, a text, a file or an agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use alongside_desk::{Refusal, ReviewId, TurnId};

use super::job::LookKey;
use super::source::TurnLook;
use super::turn_review::TurnReview;
use crate::ids::DeskId;

/// The turn reviews of all working trees, by their ids.
#[derive(Debug, Default)]
pub(super) struct ReviewTable {
    /// The id of the newest turn review; 0 if there was none.
    last: u64,
    reviews: BTreeMap<TurnId, TurnReview>,
}

impl ReviewTable {
    /// Adds the review of a look with this number. Returns its id.
    pub(super) fn add(&mut self, key: LookKey, look: TurnLook, number: u64) -> TurnId {
        self.last += 1;
        let turn = TurnId(self.last);
        self.reviews.insert(turn, TurnReview::new(turn, key, look, number));
        turn
    }

    pub(super) fn get(&self, turn: TurnId) -> Result<&TurnReview, Refusal> {
        self.reviews.get(&turn).ok_or(Refusal::NoSuchTurn)
    }

    pub(super) fn get_mut(&mut self, turn: TurnId) -> Result<&mut TurnReview, Refusal> {
        self.reviews.get_mut(&turn).ok_or(Refusal::NoSuchTurn)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut TurnReview> {
        self.reviews.values_mut()
    }

    pub(super) fn ids(&self) -> Vec<TurnId> {
        self.reviews.keys().copied().collect()
    }

    /// Returns the review of a working tree that begins with this revision.
    pub(super) fn find(&self, root: &Path, since: Option<&str>) -> Option<TurnId> {
        let mut all = self.reviews.iter();
        all.find(|(_, review)| review.is_of(root, since)).map(|(turn, _)| *turn)
    }

    /// Returns the review with this open text, and the path of its file.
    pub(super) fn of_text(&self, id: ReviewId) -> Option<(TurnId, PathBuf)> {
        self.reviews.iter().find_map(|(turn, review)| Some((*turn, review.path_of(id)?.to_owned())))
    }

    /// Returns the reviews of one working tree.
    pub(super) fn of_root(&self, root: &Path) -> Vec<TurnId> {
        let of_root = self.reviews.iter().filter(|(_, review)| review.look().root == root);
        of_root.map(|(turn, _)| *turn).collect()
    }

    /// Returns the reviews of a file's working tree, each with its look and, if the file is open there, with
    /// the path of the file.
    pub(super) fn of_file(&self, file: &Path) -> Vec<(TurnId, LookKey, Option<PathBuf>)> {
        let of_file = self.reviews.iter().filter_map(|(turn, review)| {
            let path = file.strip_prefix(&review.look().root).ok()?.to_owned();
            Some((*turn, review.key().clone(), review.known_texts(&path).map(|_| path)))
        });
        of_file.collect()
    }

    /// Returns the looks of the reviews for which `is_wanted` holds.
    pub(super) fn looks(&self, is_wanted: impl Fn(&TurnReview) -> bool) -> Vec<LookKey> {
        self.reviews.values().filter(|review| is_wanted(review)).map(|review| review.key().clone()).collect()
    }

    /// Whether every desk that shows turns gets a review of this root.
    pub(super) fn has_public(&self, root: &Path) -> bool {
        let mut public = self.reviews.values().filter(|review| !review.is_private());
        public.any(|review| root.starts_with(&review.look().root))
    }

    /// Ends the part of a desk in all reviews. A review that it alone has requested ends.
    pub(super) fn leave(&mut self, desk: DeskId) {
        for review in self.reviews.values_mut() {
            review.leave(desk);
        }
        self.reviews.retain(|_, review| !review.is_private() || !review.requesters().is_empty());
    }
}
