//! The official MCP tools against the companion: the TypeScript SDK, from the oldest release that an agent
//! bundles to the newest, and the conformance suite.

/// Defines a test for each row, which has the test's name and the argument for the function.
macro_rules! tests_with_rig {
    ($function:ident: $($name:ident: $argument:literal,)*) => {$(
        #[tokio::test]
        async fn $name() -> anyhow::Result<()> {
            let Some(rig) = alongside_rig::or_skip(alongside_rig::install()) else { return Ok(()) };
            $function(rig, $argument).await
        }
    )*};
}
use tests_with_rig;

mod conformance;
mod proxy;
mod typescript;

/// The companion under test, in a process of its own.
const COMPANION: &str = env!("CARGO_BIN_EXE_companion");
