//! A panic ends the process, whatever it was built with. The profile of this workspace says so for releases;
//! `cargo install` from a registry takes no profile of a workspace.

/// Ends the process after a panic on any thread, once it is logged and printed: a host that went on without
/// its loop would serve nobody.
pub(crate) fn end_the_process() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        before(panic);
        std::process::abort();
    }));
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Set when this test runs as the program that panics.
    const PANICS: &str = "ALONGSIDE_PANICS";

    #[test]
    fn a_panic_on_any_thread_ends_the_process() {
        if std::env::var_os(PANICS).is_some() {
            alongside_platform::limits::leave_no_core();
            end_the_process();
            // Without the hook, only this thread ends, and the test passes.
            let _ = std::thread::spawn(|| panic!("on purpose")).join();
            return;
        }
        let test = "panics::tests::a_panic_on_any_thread_ends_the_process";
        let mut program = Command::new(std::env::current_exe().unwrap());
        let output = program.args(["--exact", test, "--nocapture"]).env(PANICS, "1").output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("on purpose"), "{output:?}");
    }
}
