//! `cargo xtask screenshot`: takes the documentation's pictures of the real program on a real terminal.

mod claude;
mod scene;
mod svg;
mod window;

use std::fs;

use alongside_rig::screen::{Answers, Terminal};
use alongside_rig::{
    Generation, Proposer, Sandbox, Screen, adapters, agent_cli, alongside_bin, install_editors,
    install_emacs, install_kakoune, install_vim,
};
use alongside_testing::chores::checkout;
use anyhow::Context as _;

use crate::run::program;
use scene::{STILL_TIME, Scene};
use svg::{Colours, DARK, LIGHT};

/// A picture: its file, title, terminal, and the scene that it shows.
struct Picture {
    file: &'static str,
    title: &'static str,
    size: (u16, u16),
    light: bool,
    scene: fn(&Sandbox, &Terminal) -> anyhow::Result<Scene>,
}

const PICTURES: &[Picture] = &[
    Picture {
        file: "desk-dark.svg",
        title: "alongside in a dark terminal: \
                agents, reviews and context at the left, a review side by side",
        size: (132, 30),
        light: false,
        scene: desk,
    },
    Picture {
        file: "desk-light.svg",
        title: "alongside in a light terminal: \
                agents, reviews and context at the left, a review side by side",
        size: (132, 30),
        light: true,
        scene: desk,
    },
    Picture {
        file: "one-column.svg",
        title: "alongside in a terminal of 80 columns: a review in one column",
        size: (80, 24),
        light: false,
        scene: desk,
    },
    Picture {
        file: "demo.svg",
        title: "alongside demo: the built-in agent's first proposal",
        size: (100, 28),
        light: false,
        scene: demo,
    },
    Picture {
        file: "hook.svg",
        title: "Claude Code in auto mode, below, has read the reason of a rejection; \
                its next attempt is at the desk, above",
        size: (100, 48),
        light: false,
        scene: claude::hook,
    },
    Picture {
        file: "turn.svg",
        title: "The desk, above, shows a turn of Claude Code, below: \
                a comment on one change, another one marked to be undone",
        size: (120, 46),
        light: false,
        scene: claude::turn,
    },
    Picture {
        file: "neovim.svg",
        title: "Neovim with the alongside plugin: the file and the proposal side by side, \
                with changes kept, dropped and edited",
        size: (132, 28),
        light: false,
        scene: neovim,
    },
    Picture {
        file: "helix.svg",
        title: "Helix: a proposal as a file, with what each change replaces beside it \
                and code actions that decide it",
        size: (100, 26),
        light: false,
        scene: helix,
    },
    Picture {
        file: "emacs.svg",
        title: "Emacs: the file, and below it the proposal as a diff, with a dropped change",
        size: (100, 34),
        light: false,
        scene: emacs,
    },
    Picture {
        file: "vim.svg",
        title: "Vim: the file and the proposal side by side, with changes kept, dropped and edited",
        size: (120, 28),
        light: false,
        scene: vim,
    },
    Picture {
        file: "kakoune.svg",
        title: "Kakoune: a proposal as a buffer, with what each change replaces beside it, and the keys",
        size: (100, 28),
        light: false,
        scene: kakoune,
    },
];

/// Which pictures to take.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only pictures whose file name contains this
    filter: Option<String>,
}

/// Takes the pictures.
pub(crate) fn screenshot(options: &Options) -> anyhow::Result<()> {
    program(None, &[])?;
    let directory = checkout().join("docs/pictures");
    fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let filter = options.filter.as_deref().unwrap_or_default();
    for picture in PICTURES.iter().filter(|picture| picture.file.contains(filter)) {
        let path = directory.join(picture.file);
        let svg = picture.take().with_context(|| format!("cannot take {}", picture.file))?;
        fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))?;
        println!("docs/pictures/{}", picture.file);
    }
    for (file, take) in window::PICTURES.into_iter().filter(|(file, _)| file.contains(filter)) {
        take(&directory.join(file)).with_context(|| format!("cannot take {file}"))?;
        println!("docs/pictures/{file}");
    }
    Ok(())
}

impl Picture {
    fn take(&self) -> anyhow::Result<String> {
        let sandbox = Sandbox::new();
        let (colours, answers): (&Colours, _) =
            if self.light { (&LIGHT, Answers::Light) } else { (&DARK, Answers::Dark) };
        let terminal =
            Terminal::new(self.size.0, self.size.1).answering(answers).with("COLORTERM", "truecolor");
        let scene = (self.scene)(&sandbox, &terminal)?;
        match scene.is_restless {
            true => std::thread::sleep(STILL_TIME),
            false => scene.screen.wait_for_silence(STILL_TIME)?,
        }
        Ok(svg::svg(self.title, &scene.screen.picture()?, colours))
    }
}

/// Two agents in one project, and three proposals.
fn desk(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    // The proposal replaces the loop in `total`, whose variable hides the builtin `sum`.
    let basket = sandbox.write("shop/basket.py", include_str!("screenshot/shop/basket.py"));
    let prices = sandbox.write("shop/prices.csv", "item,price\nbread,2.40\nmilk,1.10\n");
    let screen = Screen::start(sandbox, terminal, [alongside_bin()?])?;
    let gemini = Proposer::gemini(sandbox)?;
    let qwen = Proposer::qwen(sandbox)?;
    gemini.propose(&basket, include_str!("screenshot/shop/basket.proposed.py"))?;
    screen.wait_for_text("raise ValueError")?;
    qwen.propose(&sandbox.project().join("shop/NOTES.md"), "# Shop\n\nPrices are never negative.\n")?;
    qwen.propose(&prices, "item,price\nbread,2.60\nmilk,1.10\n")?;
    // The last saved file counts as the open one.
    sandbox.write("shop/checkout.py", "from basket import Basket\n");
    screen.wait_for_silence(STILL_TIME)?;
    let picture = screen.picture()?;
    if picture.size().1.get() > 100 && screen.position_of("Reviews (3)").is_err() {
        // The desk has hidden the lists to make room for the code; the picture is to show them.
        screen.press_and_see("b", "Reviews (3)")?;
    }
    // Drop the second change.
    screen.press_and_see("j ", "dropped: ")?;
    screen.press("j")?;
    Ok(Scene { _agents: vec![gemini, qwen], ..screen.into() })
}

/// The built-in agent's first proposal, with one change dropped.
fn demo(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    let screen = Screen::start(sandbox, terminal, [alongside_bin()?, "demo".into()])?;
    screen.wait_for_text("raise ValueError")?;
    screen.wait_for_silence(STILL_TIME)?;
    screen.press_and_see("j ", "dropped: ")?;
    Ok(screen.into())
}

/// A proposal in Neovim: one change dropped, one edited.
fn neovim(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    adapters::neovim(sandbox, "vim.opt.termguicolors = true")?;
    let (screen, agent) = in_editor(sandbox, terminal, "nvim")?;
    screen.wait_for_text("proposes basket.py")?;
    screen.press_and_see(":Alongside\r", "4 kept")?;
    screen.press_and_see("do]cA  # once", "edited")?;
    screen.press("\x1b")?;
    Ok(Scene { _agents: vec![agent], ..screen.into() })
}

/// A proposal in Helix, with its code actions.
fn helix(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    adapters::helix(sandbox, Generation::Newest);
    // The proposal's directory has a new name each time, so the status line shows only the file's name.
    let config = sandbox.home().join(".config/helix/config.toml");
    let settings = fs::read_to_string(&config)?;
    fs::write(
        config,
        settings + "\n[editor.statusline]\nleft = [\"mode\", \"spacer\", \"file-base-name\"]\n",
    )?;
    let (screen, agent) = in_editor(sandbox, terminal, "hx")?;
    screen.wait_for_text("proposes 4 changes")?;
    screen.press_and_see(" a", "Review: basket.py")?;
    screen.press_and_see("\r", "raise ValueError")?;
    screen.press_and_see(" a", "Drop this change")?;
    Ok(Scene { _agents: vec![agent], ..screen.into() })
}

/// A proposal in Emacs, with a dropped change.
fn emacs(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    adapters::emacs(sandbox)?;
    // Emacs asks a terminal whether it is dark only if the terminal names its type, which this one does not.
    let init = sandbox.home().join(".emacs.d/init.el");
    fs::write(&init, fs::read_to_string(&init)? + "(customize-set-variable 'frame-background-mode 'dark)\n")?;
    install_emacs(Generation::Newest)?.put_on_path(sandbox)?;
    let (screen, agent) = in_editor(sandbox, terminal, "emacs")?;
    screen.wait_for_text("proposes 4 changes")?;
    screen.press_and_see("\x1bxalongside-review\r", "change 1 of 4: kept")?;
    screen.press_and_see("nk", "3 kept, 1 dropped")?;
    Ok(Scene { _agents: vec![agent], ..screen.into() })
}

/// A proposal in Vim: one change dropped, one edited.
fn vim(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    let vimrc = "set termguicolors laststatus=2\nsyntax on\ncolorscheme habamax\n";
    adapters::vim(sandbox, vimrc)?;
    install_vim(Generation::Newest)?.put_on_path(sandbox)?;
    let (screen, agent) = in_editor(sandbox, terminal, "vim")?;
    screen.wait_for_text("proposes 4 changes")?;
    screen.press_and_see(":Alongside\r", "4 kept")?;
    screen.press_and_see("do", "1 dropped")?;
    screen.press_and_see("]cA  # once\x1b", "1 edited")?;
    // The announcement closes by itself.
    screen.wait_for("the announcement to close", |screen| !screen.contains("proposes 4 changes"))?;
    Ok(Scene { _agents: vec![agent], ..screen.into() })
}

/// A proposal in Kakoune, and the keys of its user mode.
fn kakoune(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    adapters::kakoune(sandbox)?;
    install_kakoune()?.put_on_path(sandbox)?;
    let (screen, agent) = in_editor(sandbox, terminal, "kak")?;
    screen.wait_for_text("proposes basket.py")?;
    screen.press_and_see(":alongside-review\r", "before: ")?;
    screen.press_and_see(" a", "drop the change")?;
    Ok(Scene { _agents: vec![agent], ..screen.into() })
}

/// Opens a file in an editor, and proposes changes to the file.
fn in_editor(sandbox: &Sandbox, terminal: &Terminal, editor: &str) -> anyhow::Result<(Screen, Proposer)> {
    install_editors()?.put_on_path(sandbox, Generation::Newest)?;
    fs::create_dir(sandbox.project().join(".git"))?;
    let basket = sandbox.write("basket.py", include_str!("screenshot/shop/basket.py"));
    let (name, path) = agent_cli::path_variable(sandbox)?;
    let terminal = terminal.clone().with(name, path);
    let screen = Screen::start(sandbox, &terminal, [editor, "basket.py"])?;
    let agent = Proposer::gemini(sandbox)?;
    agent.propose(&basket, include_str!("screenshot/shop/basket.proposed.py"))?;
    Ok((screen, agent))
}
