vim9script
# Shows a review: a tab page with the file on the left and the proposal on the right, in diff mode.

import autoload './reviews.vim'
import autoload './messages.vim'
import autoload './sending.vim'
import autoload './tabline.vim'
import autoload './text.vim'

# The most important keys, for the status line.
const KEYS = [':w accept', ':q reject', 'do drop', ']c next']

# The pattern of a character that a command line or a pattern may interpret.
const SPECIAL_CHARACTERS = '[^A-Za-z0-9._/+,@=-]'

export def IsShown(review: dict<any>): bool
  return review.right != 0 && bufloaded(review.right) && !empty(win_findbuf(review.right))
enddef

export def Show(review: dict<any>)
  if IsShown(review)
    win_gotoid(win_findbuf(review.right)[0])
    if win_findbuf(review.left)->indexof((_, window) => win_id2tabwin(window)[0] == tabpagenr()) < 0
      execute 'silent! leftabove vertical sbuffer' review.left
      SetUpWindow(review)
      wincmd p
      diffthis
    endif
    return
  endif
  review.return_window = win_getid()
  MakeBuffers(review)
  # Autocommands of other plugins run here, and their errors must not stop the review.
  execute 'silent! tab sbuffer' review.left
  SetUpWindow(review)
  execute 'silent! rightbelow vertical sbuffer' review.right
  SetUpWindow(review)
  nnoremap <buffer> ZZ <Cmd>Alongside accept<CR>
  final events = [
    {event: 'BufWriteCmd', bufnr: review.right, cmd: 'call alongside#deciding#Write()'},
    {event: 'FileAppendCmd', bufnr: review.right, cmd: 'call alongside#deciding#Append()'},
    {event: 'BufUnload', bufnr: review.right, cmd: $'call alongside#sending#SendBeforeUnload({review.right})'},
    {event: 'WinClosed', pattern: $'{win_getid()}', cmd: $'call alongside#deciding#HandleWindowClosed({review.right})'},
  ]
  autocmd_add(events->mapnew((_, one_event) => one_event->extend({group: 'alongside_reviews', replace: true})))
  cursor(empty(review.hunks) ? 1 : review.hunks[0].current.start + 1, 1)
  normal! zv
  tabline.Refresh()
  messages.Close()
  messages.Announce(review.display.notes->mapnew((_, note) => note.text))
enddef

# Fills a buffer for `:edit`: with the agent's proposal, from which `u` returns to the edits. A session may also restore
# the names of reviews that ended with another Vim.
export def ReloadBuffer()
  final buffer = bufnr()
  final review = reviews.OfBuffer(buffer)
  if empty(review)
    setbufvar(buffer, '&buftype', 'nofile')
    text.Replace(buffer, 'This review has ended.')
    setbufvar(buffer, '&modified', false)
    return
  endif
  setbufvar(buffer, '&modifiable', true)
  text.Replace(buffer, buffer == review.right ? review.proposed : get(review, 'original', ''))
  setbufvar(buffer, '&modifiable', buffer == review.right && !has_key(review, 'wholeFileOnly'))
  setbufvar(buffer, '&modified', false)
  # `:edit` has set this option.
  setbufvar(buffer, '&buflisted', false)
  sending.ScheduleSend(buffer)
enddef

# Closes the windows of reviews that ended with another Vim, which a session restores.
export def CloseEndedReviews()
  for buffer in getbufinfo()->filter((_, buffer) => buffer.name =~ '^alongside://\(review\|original\)/')
    if empty(reviews.OfBuffer(buffer.bufnr))
      execute 'silent! bwipeout!' buffer.bufnr
    endif
  endfor
enddef

def MakeBuffers(review: dict<any>)
  if review.right != 0 && bufloaded(review.right)
    return
  endif
  # The name ends with our own suffix, because plugins choose by the end of a name whether to open an archive. It has no
  # character that `expand()`, a shell or a pattern would interpret.
  final tail = review.display.name->substitute('.*/', '', '')->substitute($'[\x01-\x7f]\&{SPECIAL_CHARACTERS}', '_', 'g')
  final name = $'{review.desk.number}-{review.id}/{tail}'
  review.left = CreateScratchBuffer($'alongside://original/{name} [file]', get(review, 'original', ''), 'nofile')
  review.right = CreateScratchBuffer($'alongside://review/{name} [proposal]', review.current, 'acwrite')
  review.base = review.revision
  for buffer in [review.left, review.right]
    setbufvar(buffer, 'alongside_title', $'{fnamemodify(review.display.name, ":t")} [proposal]')
  endfor
  setbufvar(review.left, '&modifiable', false)
  setbufvar(review.right, '&modifiable', !has_key(review, 'wholeFileOnly'))
  sending.SetModified(review)
  # The callback must not refer to the review: Vim frees a value to which only a listener refers.
  review.listener = listener_add((buffer, _, _, _, _) => sending.ScheduleSend(buffer), review.right)
enddef

# Creates a buffer without autocommands, and without a file that Vim reads.
def CreateScratchBuffer(name: string, content: string, buftype: string): number
  final ignored = &eventignore
  &eventignore = 'all'
  var buffer = 0
  try
    buffer = bufadd(name)
    final options = {
      buftype: 'nofile', swapfile: false, bufhidden: 'hide', buflisted: false, fixendofline: false, undolevels: -1,
      readonly: false, modeline: false,
    }
    for [option, value] in items(options)
      setbufvar(buffer, $'&{option}', value)
    endfor
    bufload(buffer)
    setbufvar(buffer, '&buftype', buftype)
  finally
    &eventignore = ignored
  endtry
  text.Replace(buffer, content)
  # Resets the option to its global value.
  setbufvar(buffer, '&undolevels', -123456)
  setbufvar(buffer, '&modified', false)
  return buffer
enddef

# Sets up the current window, which shows the file or the proposal.
def SetUpWindow(review: dict<any>)
  final source = text.BufferOf(review.file)
  final filetype = source > 0 ? getbufvar(source, '&filetype') : ''
  if filetype != ''
    &l:filetype = filetype
  else
    # The name is a pattern for `:doautocmd`. Rules for file types do not need these characters.
    final file = review.file->substitute(SPECIAL_CHARACTERS, '_', 'g')
    execute 'silent! doautocmd <nomodeline> filetypedetect BufRead' file
  endif
  &l:statusline = '%{%alongside#view#Statusline(bufnr())%}'
  nnoremap <buffer> <nowait> <LocalLeader>a <Cmd>Alongside accept<CR>
  nnoremap <buffer> <nowait> <LocalLeader>r <Cmd>Alongside reject<CR>
  if exists('&winfixbuf')
    # With this option, `:edit FILE` cannot replace the buffer in this window.
    &l:winfixbuf = true
  endif
  diffthis
enddef

# Returns the status line of one of the two windows. That of the proposal has the states of the changes, and as many keys
# as fit.
export def Statusline(buffer: number): string
  final review = reviews.OfBuffer(buffer)
  if empty(review)
    return ' ' .. EscapePercent(getbufvar(buffer, 'alongside_ended', ''))
  endif
  if buffer == review.left
    return $' {EscapePercent(review.display.name)}: the file'
  endif
  final states = review.display.states == '' ? 'proposal' : review.display.states
  final warning = review.display.notes->indexof((_, note) => note.warning) >= 0 ? ', warning' : ''
  var keys = ''
  for key in KEYS
    if strdisplaywidth($' {states}{warning}  {keys}{key} ') <= winwidth(0)
      keys ..= $'{key}  '
    endif
  endfor
  return $' {EscapePercent(states .. warning)}%={keys}'
enddef

def EscapePercent(words: string): string
  return words->substitute('%', '%%', 'g')
enddef

# Closes the window of the file after the person has closed the window of the proposal.
export def CloseFile(review: dict<any>)
  # Windows in which the person has opened another buffer stay.
  for window in win_findbuf(review.left)
    silent! win_execute(window, 'close')
  endfor
enddef

# Returns whether the current window shows the review.
def IsInReview(review: dict<any>): bool
  return bufnr() == review.right || bufnr() == review.left
enddef

# Closes the buffers of a review that has ended. If the person works in the review and another desk has ended it, the text
# stays, so that a key is not typed into another buffer. Text that the companion lacks stays, too.
export def Release(review: dict<any>, decided_here: bool)
  if review.right == 0
    return
  endif
  if !bufexists(review.right)
    execute 'silent! bwipeout!' review.left
    return
  endif
  final was_here = IsInReview(review)
  if sending.IsUnsent(review) || !decided_here && was_here
    KeepText(review)
    return
  endif
  for buffer in [review.right, review.left]
    autocmd_delete([{group: 'alongside_reviews', bufnr: buffer}])
    execute 'silent! bwipeout!' buffer
  endfor
  if was_here
    win_gotoid(review.return_window)
  endif
  tabline.Refresh()
enddef

# Turns the text of a review that has ended into an ordinary buffer without a name.
def KeepText(review: dict<any>)
  sending.StopSending(review)
  listener_remove(review.listener)
  final window = get(win_findbuf(review.right), 0, 0)
  if bufnr() == review.left && window != 0
    win_gotoid(window)
  endif
  execute 'silent! bwipeout!' review.left
  autocmd_delete([{group: 'alongside_reviews', bufnr: review.right}])
  setbufvar(review.right, '&modifiable', true)
  setbufvar(review.right, '&buftype', '')
  setbufvar(review.right, '&bufhidden', '')
  setbufvar(review.right, '&buflisted', true)
  setbufvar(review.right, '&modified', review.pending_sends > 0)
  final ended = 'This review has ended; its text stays here, without a name (:w FILE).'
  setbufvar(review.right, 'alongside_ended', ended)
  setbufvar(review.right, 'alongside_title', '')
  messages.Announce([ended])
  if window != 0
    win_execute(window, 'diffoff')
    win_execute(window, 'silent! setlocal nowinfixbuf statusline< | silent noautocmd :0file')
  endif
  tabline.Refresh()
enddef
