//! Vim and Neovim with the table of hostile names: the person looks at every row, accepts or rejects it, and
//! no program obeys a row. The person's settings make the editor interpret as much as it can.

use alongside_agent::Outcome;
use alongside_rig::hostile::{self, Hostile, Row};
use alongside_rig::tmux::Pane;
use alongside_rig::{Editor, Generation, adapters, install_vim, or_skip};
use anyhow::Result;

use crate::stage::Stage;

/// The rows whose file the person has open, if it exists.
const OPEN_ROWS: [&str; 4] = ["Vim's own names", "a pattern", "an option of a program", "an argument of Vim"];

/// Settings that react to the events with which an editor creates, names and reads a buffer. Such an event
/// for a buffer of a review counts as obeyed.
const SETTINGS: &str = "
set modeline modelines=5 title titlestring=%f laststatus=2 showtabline=2
augroup mine
  autocmd BufNew,BufNewFile,BufReadPre,BufRead,BufFilePre,BufFilePost * call Heard(expand('<afile>'))
augroup END
function Heard(name)
  if a:name =~ 'alongside://\\|\\[\\(proposal\\|file\\)'
    call writefile([a:name], $HOME .. '/PWNED', 'a')
  endif
endfunction
nnoremap <F5> <Cmd>next<CR>
nnoremap <F6> <Cmd>edit!<CR>
";

/// Vim's settings in addition to [`SETTINGS`].
const VIM_SETTINGS: &str = "
set statusline=%f%=%{alongside#Statusline()}
nnoremap <F2> <Cmd>Alongside next<CR>
nnoremap <F3> <Cmd>Alongside accept!<CR>
nnoremap <F4> <Cmd>Alongside reject<CR>
";

/// Neovim's settings in addition to [`SETTINGS`].
const NEOVIM_SETTINGS: &str = "
vim.o.statusline = '%f %t %{%v:lua.require(\"alongside\").statusline()%}'
vim.keymap.set('n', '<F2>', function()
  local waiting = require('alongside.review').waiting()
  require('alongside.review').go(waiting[1].id)
end)
vim.keymap.set('n', '<F3>', '<Cmd>Alongside accept<CR>')
-- Some rows are hard to see: accept them all the same.
vim.fn.confirm = function() return 2 end
vim.keymap.set('n', '<F4>', '<Cmd>Alongside reject<CR>')
";

alongside_rig::tests! {
    the_newest_vim_obeys_no_hostile_name: in_vim(Generation::Newest),
    #[ignore = "cargo xtask test --all"]
    the_oldest_vim_obeys_no_hostile_name: in_vim(Generation::Oldest),
    the_newest_neovim_obeys_no_hostile_name: in_neovim(Generation::Newest),
    #[ignore = "cargo xtask test --all"]
    the_oldest_neovim_obeys_no_hostile_name: in_neovim(Generation::Oldest),
}

fn in_vim(generation: Generation) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(vim) = or_skip(install_vim(generation)) else { return Ok(()) };
    vim.put_on_path(&stage.sandbox)?;
    adapters::vim(&stage.sandbox, &format!("{SETTINGS}{VIM_SETTINGS}"))?;
    show_every_row(&stage, &vim)
}

fn in_neovim(generation: Generation) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    adapters::neovim(&stage.sandbox, &format!("vim.cmd([==[{SETTINGS}]==])\n{NEOVIM_SETTINGS}"))?;
    show_every_row(&stage, &stage.editors.neovim(generation))
}

fn show_every_row(stage: &Stage, editor: &Editor) -> Result<()> {
    hostile::set_traps(&stage.sandbox)?;
    let rows = hostile::rows(&stage.sandbox);
    let open: Vec<_> = rows.iter().filter(|row| is_open(row)).cloned().collect();
    for row in &open {
        hostile::write(&row.path, row.original.as_deref().unwrap_or_default())?;
    }
    let pane = stage.terminal.window(editor.command, (100, 30))?;
    let files = open
        .iter()
        .map(|row| format!(" '{}'", row.path.file_name().unwrap().to_string_lossy().replace('\'', "'\\''")));
    pane.enter(&format!("clear; {} -- notes.md{}", editor.command, files.collect::<String>()))?;
    pane.wait_for("the file", |screen| screen.contains("fifteen"))?;
    stage.wait_until_served(1)?;

    let (waiting, refused) = hostile::propose(&stage.sandbox, rows)?;
    assert!(refused.is_empty(), "{refused:#?}");
    let all = format!("{} reviews", waiting.len());
    pane.wait_for("every proposal", |screen| screen.contains(&all))?;
    for (index, hostile) in waiting.into_iter().enumerate() {
        let is_accepted = is_open(&hostile.row) || index % 3 != 0;
        decide(&pane, hostile, is_accepted)?;
    }
    for row in &open {
        pane.press("F5")?;
        pane.wait_for(&format!("{:?} as it is now", row.path), |screen| screen.contains(&row.unique_line))?;
    }
    pane.enter(":qa!")?;
    stage.wait_until_closed(&pane)?;
    hostile::assert_nothing_obeyed(&stage.sandbox)
}

/// Whether the person has the row's file open.
fn is_open(row: &Row) -> bool {
    row.original.is_some() && OPEN_ROWS.contains(&row.why)
}

/// Shows the row that has waited longest, and decides. Writes the file as the agent does if the row is
/// accepted.
fn decide(pane: &Pane, hostile: Hostile, is_accepted: bool) -> Result<()> {
    let Hostile { row, proposal, .. } = hostile;
    pane.press("F2")?;
    let what = format!("{} ({:?})", row.why, row.path);
    pane.wait_for(&what, |screen| screen.contains(&row.unique_line))?;
    // The editor reads the buffer again, and shows the proposal as the agent has made it.
    pane.press("F6")?;
    pane.press(if is_accepted { "F3" } else { "F4" })?;
    pane.wait_for(&format!("the end of {what}"), |screen| !screen.contains(&row.unique_line))?;
    match (proposal.outcome()?, is_accepted) {
        (Outcome::Accepted { content: text }, true) => {
            assert_eq!(text, row.proposed, "{what}");
            hostile::write(&row.path, &text)
        }
        (Outcome::Rejected, false) => Ok(()),
        (other, _) => anyhow::bail!("{what}: {other:?}"),
    }
}
