//! The demo of a static program for Linux: on this processor, and in QEMU on the other one.

use std::process::Stdio;

use anyhow::Context as _;

use super::debian_root::Root;

/// Whether the program that is built for this target plays its demo to the end.
pub(super) fn plays(root: &Root, triple: &str) -> anyhow::Result<bool> {
    // timeout starts nothing where it is the first process. QEMU translates every instruction.
    let mut demo = root.command("sh");
    demo.args(["-c", "timeout 120 \"$@\"; exit $?", "sh"]).args(emulator(triple, std::env::consts::ARCH));
    demo.arg(format!("/target/{triple}/release/alongside")).arg("demo").stdin(Stdio::null());
    let played = demo.output().context("cannot start unshare")?;
    let said =
        String::from_utf8_lossy(&played.stdout).into_owned() + &String::from_utf8_lossy(&played.stderr);
    let has_played = played.status.success();
    if !has_played {
        println!("{said}{}", played.status);
    }
    Ok(has_played)
}

/// Returns the program that runs those of another processor than `here`, the one of this machine.
fn emulator(triple: &str, here: &str) -> Option<String> {
    let processor = triple.split('-').next().unwrap_or_default();
    (processor != here).then(|| format!("qemu-{processor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_processor_runs_in_qemu() {
        assert_eq!(emulator("x86_64-unknown-linux-musl", "x86_64"), None);
        assert_eq!(emulator("aarch64-unknown-linux-musl", "x86_64").as_deref(), Some("qemu-aarch64"));
        assert_eq!(emulator("x86_64-unknown-linux-musl", "aarch64").as_deref(), Some("qemu-x86_64"));
    }
}
