//! The client code of six shipped agent releases against the companion, each story with each release.
//!
//! Every assertion checks the agent's own result. The companion runs in a process of its own, and agents find
//! it by its files alone: no variable of theirs is set.

mod alone;
mod doctor_predictions;
mod restarts;
mod stage;
mod together;

/// Defines a test for each release and named story. A story gets its stage, or the rig and the release.
macro_rules! with_each_release {
    ($($module:ident::$story:ident($with:ident)),* $(,)?) => {
        with_each_release! { @older gemini_0_8_2, gemini("0.8.2"), $($module::$story($with)),* }
        with_each_release! { @older gemini_0_27_4, gemini("0.27.4"), $($module::$story($with)),* }
        with_each_release! { @newest gemini_0_61_0, gemini("0.61.0"), $($module::$story($with)),* }
        with_each_release! { @older qwen_0_5_2, qwen("0.5.2"), $($module::$story($with)),* }
        with_each_release! { @older qwen_0_12_0, qwen("0.12.0"), $($module::$story($with)),* }
        with_each_release! { @newest qwen_0_24_4, qwen("0.24.4"), $($module::$story($with)),* }
    };
    (@newest $release:ident, $family:ident($version:literal), $($stories:tt)*) => {
        with_each_release! { @tests install, [], $release, $family($version), $($stories)* }
    };
    (@older $release:ident, $family:ident($version:literal), $($stories:tt)*) => {
        with_each_release! {
            @tests install_every_release, [#[ignore = "cargo xtask test --all"]],
            $release, $family($version), $($stories)*
        }
    };
    (
        @tests $install:ident, $attributes:tt, $release:ident, $family:ident($version:literal),
        $($module:ident::$story:ident($with:ident)),*
    ) => {
        mod $release {
            $(with_each_release! { @test $install, $attributes, $family($version), $module::$story($with) })*
        }
    };
    (
        @test $install:ident, [$($attribute:tt)*], $family:ident($version:literal),
        $module:ident::$story:ident($with:ident)
    ) => {
        #[tokio::test]
        $($attribute)*
        async fn $story() -> anyhow::Result<()> {
            let Some(rig) = alongside_rig::or_skip(alongside_rig::$install()) else { return Ok(()) };
            let release = alongside_rig::Release::$family($version);
            crate::$module::$story(with_each_release!(@$with rig, release)).await
        }
    };
    (@stage $rig:ident, $release:ident) => { crate::stage::Stage::new($rig, $release).await? };
    (@rig $rig:ident, $release:ident) => { ($rig, $release) };
}

with_each_release! {
    alone::finds_the_companion_by_file_alone(stage),
    alone::finds_the_companion_from_a_sibling_pane(rig),
    alone::knows_what_the_person_has_open(stage),
    alone::writes_what_was_accepted(stage),
    alone::writes_the_persons_edits(stage),
    alone::writes_nothing_after_a_rejection(stage),
    alone::takes_the_edits_when_answered_in_its_own_prompt(stage),
    alone::takes_its_proposal_when_answered_in_its_own_prompt(stage),
    alone::rejects_in_its_own_prompt_and_the_edits_are_kept(stage),
    alone::gets_two_diffs_in_a_row_decided_apart(stage),
    alone::proposes_the_same_file_twice(stage),
    doctor_predictions::does_what_the_doctor_says(rig),
    restarts::agent_comes_back(stage),
    restarts::companion_stops_with_a_diff_open_and_comes_back(stage),
    restarts::companion_crashes_and_the_session_goes_on(stage),
    restarts::companion_crashes_with_a_diff_open(stage),
}
