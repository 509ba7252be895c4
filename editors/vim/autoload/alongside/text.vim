vim9script
# The text of a buffer as one string.

# Returns the whole text of a buffer.
export def Of(buffer: number): string
  final lines = getbufline(buffer, 1, '$')
  final end = getbufvar(buffer, '&endofline') ? "\n" : ''
  return lines == [''] && end == '' ? '' : join(lines, "\n") .. end
enddef

# Returns the number of equal lines at the beginning of two texts, and that at their end.
def CommonLines(old: list<string>, new: list<string>): list<number>
  final limit = min([len(old), len(new)])
  var start = 0
  while start < limit && old[start] ==# new[start]
    start += 1
  endwhile
  var rest = 0
  while rest < limit - start && old[-1 - rest] ==# new[-1 - rest]
    rest += 1
  endwhile
  return [start, rest]
enddef

# Returns the lines of a text, each with its line ending.
def Lines(content: string): list<string>
  return content->split('\n\zs')
enddef

# Returns the replacement that turns `before` into `after`: lines of `before`, and the text in their place.
export def Replacement(before: string, after: string): dict<any>
  final old = Lines(before)
  final new = Lines(after)
  final alike = CommonLines(old, new)
  final added = new->slice(alike[0], len(new) - alike[1])
  return {lines: {start: alike[0], end: len(old) - alike[1]}, text: added->join('')}
enddef

# Returns a text with a replacement applied.
export def ApplyReplacement(before: string, replacement: dict<any>): string
  final lines = Lines(before)
  final head = lines->slice(0, replacement.lines.start)
  return head->join('') .. replacement.text .. lines->slice(replacement.lines.end)->join('')
enddef

# Replaces the lines that differ, so that the cursor and marks in other lines stay.
export def Replace(buffer: number, content: string)
  final length = strlen(content)
  final has_end = strpart(content, length - 1) == "\n"
  final new = strpart(content, 0, has_end ? length - 1 : length)->split("\n", true)
  final old = getbufline(buffer, 1, '$')
  final alike = CommonLines(old, new)
  final start = alike[0]
  final replaced = len(old) - start - alike[1]
  final added = new->slice(start, len(new) - alike[1])
  # The new lines are added before the old ones are deleted, because a buffer has at least one line.
  if !empty(added)
    appendbufline(buffer, start + replaced, added)
  endif
  if replaced > 0
    deletebufline(buffer, start + 1, start + replaced)
  endif
  setbufvar(buffer, '&endofline', has_end)
enddef

# Returns the listed buffer of a file, or 0.
export def BufferOf(file: string): number
  final real = resolve(file)
  final found = getbufinfo({buflisted: true})->filter((_, info) => info.name == file || resolve(info.name) == real)
  return empty(found) ? 0 : found[0].bufnr
enddef

# Reloads the buffer of a file when the agent writes it, within ten seconds, unless it has unsaved changes. The buffer is
# reloaded after each write, because an agent may first empty the file.
export def ReloadWhenWritten(file: string)
  final buffer = BufferOf(file)
  if buffer == 0 || !bufloaded(buffer)
    return
  endif
  timer_start(100, (timer) => {
    if !bufexists(buffer) || getbufvar(buffer, '&modified')
      timer_stop(timer)
    else
      Reload(buffer)
    endif
  }, {repeat: 100})
enddef

def Reload(buffer: number)
  # Without this option, Vim asks the person.
  setbufvar(buffer, '&autoread', true)
  execute 'silent! checktime' buffer
  # Resets the option to its global value.
  setbufvar(buffer, '&autoread', -1)
enddef
