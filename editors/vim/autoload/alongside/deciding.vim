vim9script
# Accepts and rejects proposals. Only commands that the person types decide, not autocommands, 'autowrite' or `:wall`.

import autoload './reviews.vim'
import autoload './messages.vim'
import autoload './sending.vim'
import autoload './server.vim'
import autoload './text.vim'
import autoload './view.vim'

const ACCEPTING_COMMANDS = ['write', 'update', 'wq', 'xit', 'exit']

# The command line that the person has just entered, until Vim waits for the next key.
var typed_line = ''

export def RememberCommandLine()
  typed_line = getcmdline()
  # If no buffer is modified, these commands quit Vim without a write, which would reject the shown proposals.
  final shown = ['wqall', 'xall']->index(TypedCommand()) < 0 ? [] : reviews.All()->filter((_, one) => view.IsShown(one))
  for one in shown
    setbufvar(one.right, '&modified', true)
  endfor
  timer_start(0, (_) => {
    typed_line = ''
    for one in shown
      sending.SetModified(one)
    endfor
  })
enddef

def TypedCommand(): string
  return fullcommand(typed_line, false)
enddef

def IsForced(): bool
  return typed_line =~ '^[:[:space:]]*\a\+!'
enddef

# Shows the commands for a proposal with typed text, because of which Vim will not quit.
export def WarnBeforeQuit()
  if ['qall', 'quitall']->index(TypedCommand()) < 0 || IsForced()
    return
  endif
  for one in reviews.All()
    if one.right != 0 && getbufvar(one.right, '&modified')
      echohl WarningMsg
      echo $'{one.display.name} has your edits. :w accepts them, :qa! leaves and moves them to drafts.'
      echohl None
    endif
  endfor
enddef

# Executes `:w` in the proposal.
export def Write()
  final one = reviews.OfBuffer(bufnr())
  final file = expand('<afile>')
  if fnamemodify(file, ':p') != fnamemodify(bufname(), ':p')
    WriteTo(file)
  elseif empty(one)
    messages.Error('This review has ended. Write the text with :w FILE.')
  elseif ACCEPTING_COMMANDS->index(TypedCommand()) < 0
    messages.Announce([$'{one.display.name}: not accepted. To accept, type :w in the proposal.'])
  else
    Decide('accept', IsForced())
  endif
enddef

# Refuses `:w >>` in the proposal.
export def Append()
  messages.Error('Only :w accepts; :w FILE writes the text to a file.')
enddef

# Executes `:w FILE`: writes the text to another file, and decides nothing.
def WriteTo(file: string)
  if filereadable(file) && !IsForced()
    messages.Error($'{file} exists (add ! to override)')
  else
    writefile(getline(1, '$'), file)
    messages.Announce([$'Written to {file}; the review waits.'])
  endif
enddef

# Decides on the review of this buffer. With `is_forced`, accepts without a question about warnings.
export def Decide(decision: string, is_forced: bool)
  final one = reviews.Current()
  if empty(one)
    messages.Error('No proposal for this file waits.')
    return
  endif
  if decision == 'accept' && !view.IsShown(one)
    messages.Error('Look at the proposal first: :Alongside shows it.')
    return
  endif
  if decision == 'accept' && !is_forced
    final warnings = one.display.notes->copy()->filter((_, note) => note.warning)->mapnew((_, note) => note.text)
    if !empty(warnings) && confirm(join(warnings, "\n") .. "\nAccept all the same?", "&no\n&yes", 1) != 2
      return
    endif
  endif
  SendDecision(one, decision)
enddef

def SendDecision(one: dict<any>, decision: string)
  final has_text = one.right != 0 && bufloaded(one.right)
  # The decision contains the text, so the text is not sent on its own.
  sending.StopSending(one)
  one.is_decided = true
  final was_modified = has_text && getbufvar(one.right, '&modified')
  if has_text
    # Otherwise `:wq` would not close the window.
    setbufvar(one.right, '&modified', false)
  endif
  final params = sending.Params(one, has_text ? text.Of(one.right) : one.current)
  params.revision = has_text ? one.base : one.revision
  params.decision = decision
  server.Request(one.desk, 'alongside/decideReview', params, null_function, (error) => {
    one.is_decided = false
    if has_text && bufloaded(one.right)
      setbufvar(one.right, '&modified', was_modified)
      sending.ScheduleSend(one.right)
    endif
    messages.Error(error.message)
  })
enddef

# Handles the end of a window of the proposal, after which the proposal may be rejected.
export def HandleWindowClosed(right: number)
  final one = reviews.OfBuffer(right)
  if empty(one)
    return
  endif
  final command = TypedCommand()
  final is_forced = IsForced()
  timer_start(0, (_) => DecideAfterClose(one, command, is_forced))
enddef

# Decides on a proposal whose last window is closed, by the command that closed it and the person's answer.
def DecideAfterClose(one: dict<any>, command: string, is_forced: bool)
  if view.IsShown(one)
    return
  endif
  view.CloseFile(one)
  if one.is_decided || reviews.Find(one.desk, one.id) isnot one
    return
  endif
  # `:x` writes nothing if the buffer is not modified.
  if command == 'xit' || command == 'exit'
    SendDecision(one, 'accept')
    return
  endif
  final is_edited = sending.IsUnsent(one) || one.hunks->indexof((_, hunk) => hunk.state == 'edited') >= 0
  final answer = is_edited && !is_forced
    ? confirm($'{one.display.name} has your edits.', "&keep the review open\n&accept\n&reject", 1) : 3
  if answer == 2
    SendDecision(one, 'accept')
  elseif answer == 3
    SendDecision(one, 'reject')
  else
    view.Show(one)
  endif
enddef
