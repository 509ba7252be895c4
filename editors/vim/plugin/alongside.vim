" alongside: review the changes that coding agents propose.

if exists('g:loaded_alongside')
  finish
endif
let g:loaded_alongside = 1

" Neovim may load this directory, but needs the plugin for Neovim.
if has('nvim')
  finish
endif

if !has('patch-9.1.0') || !has('channel') || !has('job') || !has('popupwin') || !has('timers')
  command! -nargs=* -bang -range Alongside echohl WarningMsg
    \ | echomsg 'alongside needs Vim 9.1 or newer with +job, +channel, +popupwin and +timers' | echohl None
  finish
endif

command! -nargs=* -bang -range -complete=custom,alongside#Complete Alongside
  \ call alongside#Command([<f-args>], <bang>0, <range> == 0 ? [] : [<line1>, <line2>])

augroup alongside
  autocmd!
  autocmd BufEnter,BufFilePost,BufDelete,BufWritePost * call alongside#ReportSoon()
  autocmd CursorMoved,CursorMovedI,ModeChanged,TextChanged,TextChangedI * call alongside#ReportSoon()
  autocmd BufWritePost * call alongside#ReportSave(str2nr(expand('<abuf>')), expand('<afile>:p'))
  autocmd BufReadCmd alongside://review/*,alongside://original/* call alongside#view#ReloadBuffer()
  autocmd DirChanged * call alongside#ForgetRoots()
  autocmd FocusGained * call alongside#ReportFocus()
  autocmd CmdlineLeave : call alongside#RememberCommandLine()
  autocmd SessionLoadPost * call alongside#CloseEndedReviews()
  autocmd QuitPre * call alongside#WarnBeforeQuit()
  autocmd VimLeavePre * call alongside#SendAll()
augroup END
