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
  final writes_all = ['wqall', 'xall']->index(TypedCommand()) >= 0
  final shown = writes_all ? reviews.All()->filter((_, review) => view.IsShown(review)) : []
  for review in shown
    setbufvar(review.right, '&modified', true)
  endfor
  timer_start(0, (_) => {
    typed_line = ''
    for review in shown
      sending.SetModified(review)
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
  for review in reviews.All()
    if review.right != 0 && getbufvar(review.right, '&modified')
      echohl WarningMsg
      echo $'{review.display.name} has your edits. :w accepts them, :qa! leaves and moves them to drafts.'
      echohl None
    endif
  endfor
enddef

# Executes `:w` in the proposal.
export def Write()
  final review = reviews.OfBuffer(bufnr())
  final file = expand('<afile>')
  if fnamemodify(file, ':p') != fnamemodify(bufname(), ':p')
    WriteTo(file)
  elseif empty(review)
    messages.Error('This review has ended. Write the text with :w FILE.')
  elseif ACCEPTING_COMMANDS->index(TypedCommand()) < 0
    messages.Announce([$'{review.display.name}: not accepted. To accept, type :w in the proposal.'])
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
  final review = reviews.Current()
  if empty(review)
    messages.Error('No proposal for this file waits.')
    return
  endif
  if decision == 'accept' && !view.IsShown(review)
    messages.Error('Look at the proposal first: :Alongside shows it.')
    return
  endif
  if decision == 'accept' && !is_forced
    final warnings = review.display.notes->copy()->filter((_, note) => note.warning)->mapnew((_, note) => note.text)
    if !empty(warnings) && confirm(join(warnings, "\n") .. "\nAccept all the same?", "&no\n&yes", 1) != 2
      return
    endif
  endif
  SendDecision(review, decision)
enddef

def SendDecision(review: dict<any>, decision: string)
  final has_text = review.right != 0 && bufloaded(review.right)
  # The decision contains the text, so the text is not sent on its own.
  sending.StopSending(review)
  review.is_decided = true
  final was_modified = has_text && getbufvar(review.right, '&modified')
  if has_text
    # Otherwise `:wq` would not close the window.
    setbufvar(review.right, '&modified', false)
  endif
  final params = sending.Params(review, has_text ? text.Of(review.right) : review.current)
  params.revision = has_text ? review.base : review.revision
  params.decision = decision
  server.Request(review.desk, 'alongside/decideReview', params, null_function, (error) => {
    review.is_decided = false
    if has_text && bufloaded(review.right)
      setbufvar(review.right, '&modified', was_modified)
      sending.ScheduleSend(review.right)
    endif
    messages.Error(error.message)
  })
enddef

# Handles the end of a window of the proposal, after which the proposal may be rejected.
export def HandleWindowClosed(right: number)
  final review = reviews.OfBuffer(right)
  if empty(review)
    return
  endif
  final command = TypedCommand()
  final is_forced = IsForced()
  timer_start(0, (_) => DecideAfterClose(review, command, is_forced))
enddef

# Decides on a proposal whose last window is closed, by the command that closed it and the person's answer.
def DecideAfterClose(review: dict<any>, command: string, is_forced: bool)
  if view.IsShown(review)
    return
  endif
  view.CloseFile(review)
  if review.is_decided || reviews.Find(review.desk, review.id) isnot review
    return
  endif
  # `:x` writes nothing if the buffer is not modified.
  if command == 'xit' || command == 'exit'
    SendDecision(review, 'accept')
    return
  endif
  final is_edited = sending.IsUnsent(review) || review.hunks->indexof((_, hunk) => hunk.state == 'edited') >= 0
  final answer = is_edited && !is_forced
    ? confirm($'{review.display.name} has your edits.', "&keep the review open\n&accept\n&reject", 1) : 3
  if answer == 2
    SendDecision(review, 'accept')
  elseif answer == 3
    SendDecision(review, 'reject')
  else
    view.Show(review)
  endif
enddef
