//! Where a desk keeps a text that a person typed and that no companion took over: among the drafts, so that
//! `alongside drafts` lists it.

use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;
use alongside_terminal::DraftStore;

/// The store of this process's user.
pub(crate) fn draft_store() -> DraftStore {
    let drafts = || Drafts::open(&AppDirs::of_this_process());
    DraftStore::among_drafts(
        move |file, agent, why, text| drafts().keep(file, agent, why, text),
        move |path| drafts().delete_at(path),
    )
}
