vim9script
# Reports the open files of each project to its companion.

import autoload './messages.vim'
import autoload './server.vim'

# The shortest time between two reports. A report after a pause is sent at once, because the companion itself waits for
# further changes.
const MIN_REPORT_INTERVAL_MS = 50
const MARKERS = ['.git', '.jj', '.hg', '.svn']

# The timer of the next report.
var timer = 0
# The time of the last report; [] before the first.
var last_report_time: list<any> = []
# The project of each directory.
var roots: dict<string> = {}
# The project of the file that the person used last.
var last_root = ''

# Returns the local file of a buffer, or ''.
export def File(buffer: number): string
  final name = bufname(buffer)
  final is_file = name != '' && buflisted(buffer) && getbufvar(buffer, '&buftype') == ''
  final path = fnamemodify(name, ':p')
  return is_file && path !~ '^\a[a-z+.-]\+://' && path !~ '/\.\(git\|hg\|svn\|jj\)/' ? path : ''
enddef

# Returns the project of a buffer: the repository around its file, or else Vim's current directory, if the file lies in
# it and it is not the home directory. '' without a project.
export def Root(buffer: number): string
  final file = File(buffer)
  if file == ''
    return ''
  endif
  final directory = fnamemodify(file, ':h')
  if !has_key(roots, directory)
    roots[directory] = RootOf(resolve(directory))
  endif
  return roots[directory]
enddef

def RootOf(directory: string): string
  var above = directory
  while above != '/' && MARKERS->indexof((_, marker) => getftype($'{above}/{marker}') != '') < 0
    above = fnamemodify(above, ':h')
  endwhile
  if above != '/'
    return above
  endif
  final here = resolve(getcwd(-1))
  return here != resolve($HOME) && stridx($'{directory}/', $'{here}/') == 0 ? here : ''
enddef

# Forgets the projects of directories, after a change of Vim's current directory or of a repository.
export def ForgetRoots()
  roots = {}
enddef

# Returns the project in which the person works, also in a terminal or a review.
export def Project(): string
  final root = Root(bufnr())
  return root == '' ? last_root : root
enddef

export def ReportSoon()
  if timer == 0
    final since = empty(last_report_time) ? MIN_REPORT_INTERVAL_MS : float2nr(1000 * reltimefloat(reltime(last_report_time)))
    timer = timer_start(max([0, MIN_REPORT_INTERVAL_MS - since]), (_) => SendReports())
  endif
enddef

export def ReportFocus()
  final desk = server.DeskOf(Project())
  if !empty(desk) && desk.ready
    server.Notify(desk, 'alongside/didFocus', {})
  endif
enddef

# Reports that a buffer was saved, if `path` is the path of its file: `:write FILE` writes to another path.
export def ReportSave(buffer: number, path: string)
  final desk = server.DeskOf(Root(buffer))
  if path == File(buffer) && !empty(desk) && desk.ready
    server.Notify(desk, 'alongside/didSave', {path: path})
  endif
enddef

# Stops reports to agents, or resumes them.
export def TogglePause()
  final desk = server.DeskOf(Project())
  if empty(desk) || !desk.ready
    messages.Error('There is no companion for this buffer; :Alongside doctor says more.')
    return
  endif
  final paused = !desk.paused
  server.Request(desk, 'alongside/pauseContext', {paused: paused}, (_) =>
    messages.Announce([paused ? 'Agents learn nothing about your files, until :Alongside pause.'
      : 'Agents learn about your files again.']))
enddef

def SendReports()
  timer = 0
  last_report_time = reltime()
  final root = Root(bufnr())
  if root != ''
    last_root = root
  endif
  # Files in other windows and tab pages count, because an agent may search for the companion of their project.
  for shown_root in getwininfo()->map((_, window) => Root(window.bufnr))->filter((_, found) => found != '')->uniq()
    server.Start(shown_root)
  endfor
  if !get(g:, 'alongside_report_files', true)
    return
  endif
  for desk in server.Desks()
    if !desk.ready
      # The server has not answered `initialize` yet.
      ReportSoon()
      continue
    endif
    final report = ReportOf(desk)
    if report != desk.report
      desk.report = report
      server.Notify(desk, 'alongside/didChangeContext', report)
    endif
  endfor
enddef

def ReportOf(desk: dict<any>): dict<any>
  final buffers = getbufinfo({bufloaded: true})->filter((_, buffer) => Root(buffer.bufnr) == desk.root)
    ->sort((first, second) => second.lastused - first.lastused)
  final files = buffers[: 49]->mapnew((_, buffer) =>
    ({path: File(buffer.bufnr), dirty: buffer.changed ? v:true : v:false}))
  final report: dict<any> = {openFiles: files}
  if Root(bufnr()) == desk.root
    report.active = ActiveFile()
  elseif has_key(desk.report, 'active') && files->indexof((_, file) => file.path == desk.report.active.path) >= 0
    # The file that was used last stays the active one, in a terminal or a review.
    report.active = desk.report.active
  endif
  return report
enddef

def Position(place: list<number>): dict<number>
  final before = strpart(getline(place[1]), 0, place[2] - 1)
  return {line: place[1] - 1, character: strutf16len(before)}
enddef

# Returns the two ends of the selection. The end in the first line is the beginning of the selected text, which may
# differ from the column of the cursor.
def SelectionEnds(kind: string): list<dict<number>>
  final ends = [getpos('.'), getpos('v')]
  final first = min([ends[0][1], ends[1][1]])
  var column = 1
  if kind ==# "\<C-v>"
    column = virtcol2col(0, first, min([virtcol('.', true)[0], virtcol('v', true)[0]]))
  endif
  for end in ends
    if end[1] == first && kind !=# 'v'
      end[2] = column
    endif
  endfor
  return ends->mapnew((_, end) => Position(end))
enddef

# Returns the report of the file in which the person works, with cursor and selection.
export def ActiveFile(kind = mode()): dict<any>
  final active: dict<any> = {path: File(bufnr()), cursor: Position(getpos('.'))}
  if kind =~ "^[vV\<C-v>]"
    final lines = getregion(getpos('v'), getpos('.'), {type: kind})
    [active.cursor, active.anchor] = SelectionEnds(kind)
    active.selectedText = join(lines, "\n") .. (kind ==# 'V' ? "\n" : '')
  endif
  return active
enddef
