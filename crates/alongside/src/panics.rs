//! Ends the process after a panic, in every build. The release profile of this workspace also does so, but
//! `cargo install` from a registry does not use the profile of a workspace.

/// Ends the process after a panic on any thread, once the panic is logged and printed: a host without its
/// main loop would not answer.
pub(crate) fn end_the_process() {
    let previous_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        previous_hook(panic);
        std::process::abort();
    }));
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The variable that makes this test panic: the test starts itself as the program that panics.
    const PANIC_VARIABLE: &str = "ALONGSIDE_PANICS";

    #[test]
    fn a_panic_on_any_thread_ends_the_process() {
        if std::env::var_os(PANIC_VARIABLE).is_some() {
            alongside_platform::limits::leave_no_core();
            end_the_process();
            // Without the hook, only this thread ends, and the test passes.
            let _ = std::thread::spawn(|| panic!("on purpose")).join();
            return;
        }
        let test = "panics::tests::a_panic_on_any_thread_ends_the_process";
        let mut program = Command::new(std::env::current_exe().unwrap());
        let output =
            program.args(["--exact", test, "--nocapture"]).env(PANIC_VARIABLE, "1").output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("on purpose"), "{output:?}");
    }
}
