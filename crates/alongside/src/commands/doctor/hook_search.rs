//! The search that every hook makes, made here: whether it finds a companion of the directory, as agents do.

use alongside_agent::find::Surroundings;
use alongside_common::runtime_dirs::RuntimeDirs;
use alongside_host::{HookSearch, Restarting};

use super::causes::HookCause;
use super::running_companions::Companions;

/// The reason why a hook that runs here would not have a change reviewed, if a companion is here.
pub(super) async fn cause(here: &Surroundings, companions: &Companions) -> Option<HookCause> {
    let variable = |name: &str| here.variables.get(name).map(Into::into);
    let search = HookSearch::within(RuntimeDirs::of_doctor(variable));
    match search.reviewer_of(&here.cwd).await {
        Ok(Some(_)) => None,
        Ok(None) => {
            let companion = companions.serving_here().next()?.label();
            let places = search.paths().map(|path| path.to_owned().into()).collect();
            Some(HookCause::FindsNoCompanion { companion, places })
        }
        Err(Restarting) => Some(HookCause::CompanionRestarts),
    }
}
