//! A proposal as a document of the editor: its private file, and its text at both ends.

pub(super) mod disk_copy;
pub(super) mod document_phase;
pub(super) mod mirror;
pub(super) mod normalization;
pub(super) mod proposal_file;
pub(super) mod review_document;
