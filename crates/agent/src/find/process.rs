//! The processes around an agent, as it sees them.

use alongside_platform::Os;
use alongside_platform::process::{Processes, editor_above};

use super::Surroundings;

/// The process that agents take for the editor, seen from [`Surroundings::pid`]. `None` if that one is gone.
pub fn editor_pid(here: &Surroundings) -> Option<u32> {
    let processes = Processes::now();
    editor_above(Os::HERE, here.pid, |pid| processes.get(pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_an_editor() {
        assert!(editor_pid(&Surroundings::of_this_process().unwrap()).is_some());
    }
}
