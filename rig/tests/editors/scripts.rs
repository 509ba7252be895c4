//! Runs the Neovim plugin's own tests in both Neovims: one test here for each release.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use alongside_rig::{Generation, Sandbox, alongside_bin, install_editors, or_skip};
use anyhow::{Context as _, Result, ensure};

/// The time limit of a run, in case it hangs.
const DEADLINE: Duration = Duration::from_secs(300);

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    the_plugins_own_tests_pass_in_the_oldest_neovim: run(Generation::Oldest),
    the_plugins_own_tests_pass_in_the_newest_neovim: run(Generation::Newest),
}

fn run(generation: Generation) -> Result<()> {
    let Some(editors) = or_skip(install_editors()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    let neovim = editors.neovim(generation);
    let tests =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/neovim/tests/run.lua").canonicalize()?;
    let mut command = sandbox.command(&neovim.program);
    command.envs(neovim.environment.iter().map(|(name, value)| (name, value)));
    command.env("ALONGSIDE", alongside_bin()?);
    command.args(["--clean", "--headless", "-l"]).arg(&tests);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let runtime = tokio::runtime::Runtime::new()?;
    let output = runtime.block_on(async {
        let child = sandbox.spawn(&mut command);
        tokio::time::timeout(DEADLINE, child.wait_with_output())
            .await
            .context("the scripts do not end")?
            .map_err(anyhow::Error::from)
    })?;
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    ensure!(output.status.success(), "{}:\n{printed}", output.status);
    let sum = printed
        .lines()
        .find(|line| line.contains(" passed, 0 failed"))
        .context("the scripts printed no number of tests")?;
    ensure!(!sum.starts_with("0 "), "nothing was tested: {sum}");
    Ok(())
}
