//! The choice of a person who has not named what to remove: one of the installed by its number, or
//! everything.

use alongside_adapters::removal::display_name;
use alongside_common::failure::failure;

use crate::commands::consent::{self, No};
use crate::commands::note;

pub(super) enum Choice {
    /// The entry of the ledger with this id.
    One(String),
    /// As `--all`.
    Everything,
}

/// The last option.
const EVERYTHING: &str = "everything, and the files of alongside itself";

/// Has the person choose among what the ledger lists.
///
/// # Errors
/// When the ledger lists nothing.
pub(super) async fn of_person(mut installed: Vec<String>) -> anyhow::Result<Result<Choice, No>> {
    if installed.is_empty() {
        return Err(failure(
            "`alongside install` has installed nothing",
            "`alongside uninstall --all` removes the files of alongside itself",
        ));
    }
    let names: Vec<_> = installed.iter().map(|id| display_name(id)).collect();
    let options: Vec<&str> = names.iter().map(AsRef::as_ref).chain([EVERYTHING]).collect();
    let chosen = consent::choose("Remove alongside from which one?", &options).await;
    drop(names);
    Ok(match chosen {
        Ok(index) if index < installed.len() => Ok(Choice::One(installed.swap_remove(index))),
        Ok(_) => Ok(Choice::Everything),
        Err(no) => {
            note("nothing is changed");
            Err(no)
        }
    })
}
