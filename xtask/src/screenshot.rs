//! `cargo xtask screenshot`: the pictures of the documentation, of the real program on a real terminal.

mod svg;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_rig::screen::{Answers, Terminal};
use alongside_rig::{Sandbox, Screen, alongside_bin};
use anyhow::Context as _;

use crate::run::{cargo, must};
use svg::{Colours, DARK, LIGHT};

/// Colours come in the background: a picture is taken once nothing has been drawn for so long.
const STILL: Duration = Duration::from_millis(1500);

/// A picture: its file, what it shows, on which terminal, and how the program gets there.
struct Picture {
    file: &'static str,
    title: &'static str,
    size: (u16, u16),
    light: bool,
    scene: fn(&Sandbox, &Terminal) -> anyhow::Result<Screen>,
}

const PICTURES: &[Picture] = &[Picture {
    file: "demo.svg",
    title: "alongside demo: a proposed change in a terminal, asked about hunk by hunk",
    size: (100, 30),
    light: false,
    scene: demo,
}];

/// Takes all of them.
pub(crate) fn screenshot() -> anyhow::Result<()> {
    // As in the tests, it names another build.
    if std::env::var_os("ALONGSIDE_BIN").is_none() {
        must(cargo().args(["build", "-p", "alongside"]))?;
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
    fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
    for picture in PICTURES {
        let path = directory.join(picture.file);
        let svg = picture.take().with_context(|| format!("cannot take {}", picture.file))?;
        fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))?;
        println!("docs/pictures/{}", picture.file);
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
        let screen = (self.scene)(&sandbox, &terminal)?;
        screen.settle(STILL)?;
        Ok(svg::svg(self.title, &screen.picture()?, colours))
    }
}

/// The built-in agent's first proposal.
fn demo(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Screen> {
    let screen = Screen::start(sandbox, terminal, [program()?, "demo".into()])?;
    screen.shows("keep this change")?;
    Ok(screen)
}

fn program() -> anyhow::Result<PathBuf> {
    alongside_bin()
}
