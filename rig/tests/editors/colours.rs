//! A review in well-known colour schemes, dark and light: removed and added text differ on the real screen.

use std::fs;

use alongside_rig::screen::Terminal;
use alongside_rig::{Generation, Proposer, Sandbox, Screen, adapters, agent_cli, install_editors, or_skip};
use anyhow::{Context as _, Result, ensure};

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    removed_and_added_text_differ_in_the_oldest_neovim: assert_colours_differ(Generation::Oldest, true),
    removed_and_added_text_differ_in_the_newest_neovim: assert_colours_differ(Generation::Newest, true),
    #[ignore = "cargo xtask test --all"]
    removed_and_added_text_differ_in_256_colours: assert_colours_differ(Generation::Newest, false),
}

/// Schemes that both Neovims ship, with the backgrounds that they have. Retrobox is Gruvbox.
const SCHEMES: [(&str, &str); 11] = [
    ("default", "dark"),
    ("default", "light"),
    ("habamax", "dark"),
    ("retrobox", "dark"),
    ("retrobox", "light"),
    ("lunaperche", "dark"),
    ("lunaperche", "light"),
    ("wildcharm", "dark"),
    ("wildcharm", "light"),
    ("quiet", "dark"),
    ("quiet", "light"),
];

const ORIGINAL: &str = "def first():\n    return 1\n\n# removed line\n\n\n# an earlier word\n\n\nlast = 2\n";
const PROPOSED: &str = "def first():\n    return 1\n\n\n\n# a newer word\n\n\n# added line\nlast = 2\n";

fn assert_colours_differ(generation: Generation, true_colours: bool) -> Result<()> {
    let Some(editors) = or_skip(install_editors()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    editors.put_on_path(&sandbox, generation)?;
    adapters::neovim(&sandbox, &format!("vim.opt.termguicolors = {true_colours}"))?;
    fs::create_dir(sandbox.project().join(".git"))?;
    let file = sandbox.write("words.py", ORIGINAL);
    let (name, path) = agent_cli::path_variable(&sandbox)?;
    let terminal = Terminal::new(81, 24).with("COLORTERM", "truecolor").with(name, path);
    let screen = Screen::start(&sandbox, &terminal, ["nvim", "words.py"])?;
    let agent = Proposer::gemini(&sandbox)?;
    let _proposal = agent.propose(&file, PROPOSED)?;
    screen.wait_for_text("proposes words.py")?;
    screen.press_and_see(":Alongside\r", "1 of 3: kept")?;
    // The bar at the top, in windows of 40 and 80 columns.
    let bar_ends_with = |end: &'static str| {
        let single_spaced = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        screen.wait_for(end, move |screen| {
            screen.lines().nth(1).is_some_and(|bar| single_spaced(bar).ends_with(end))
        })
    };
    bar_ends_with("│ words.py :w accept do drop ]c next")?;
    screen.resize(160, 24)?;
    bar_ends_with("words.py Gemini CLI 3 kept :w accept do drop :q reject ]c next")?;
    for (scheme, background) in SCHEMES {
        let done = format!("{scheme} is {background}");
        screen.press(&format!(":set background={background} | colorscheme {scheme} | echo '{done}'\r"))?;
        screen.wait_for_text(&format!("\n{done}"))?;
        assert_different(&screen).with_context(|| done)?;
    }
    Ok(())
}

/// The appearance of the first character of a text: its background, its colour if the two are exchanged, and
/// whether it is underlined.
type Appearance = (vt100::Color, Option<vt100::Color>, bool);

fn appearance(screen: &Screen, text: &str) -> Result<Appearance> {
    let (row, column) = screen.position_of(text)?;
    let picture = screen.picture()?;
    let cell = picture.cell(row, column).context("the cell is not on the screen")?;
    Ok(match cell.inverse() {
        true => (cell.fgcolor(), Some(cell.bgcolor()), cell.underline()),
        false => (cell.bgcolor(), None, cell.underline()),
    })
}

/// Fails unless ordinary, removed and added text, and removed and added words, all look different.
fn assert_different(screen: &Screen) -> Result<()> {
    let all = ["last =", "# removed line", "# an earlier", "# added line", "# a newer", "earlier", "newer"];
    let found = all.map(|text| appearance(screen, text));
    let [ordinary, removed, removed_changed, added, added_changed, removed_word, added_word] = found;
    let (ordinary, removed, added) = (ordinary?, removed?, added?);
    let (removed_word, added_word) = (removed_word?, added_word?);
    ensure!(removed == removed_changed?, "removed lines and changed lines of the original differ");
    ensure!(added == added_changed?, "added lines and changed lines of the proposal differ");
    let all = [ordinary, removed, added, removed_word, added_word];
    for (at, one) in all.iter().enumerate() {
        ensure!(!all[..at].contains(one), "two of these are the same: {all:?}");
    }
    Ok(())
}
