vim9script
# Draws the tab line while a proposal is on the screen: its tab has the name of the file. All else is as Vim draws it. A
# 'tabline' of the person stays.

# 'tabline' while a proposal is on the screen.
const OUR_TABLINE = '%!alongside#tabline#Draw()'
# The width of the narrowest tab, as in Vim.
const MIN_TAB_COLUMNS = 6
# Vim's labels for buffers without a name, by 'buftype'.
const UNNAMED_BUFFERS = {acwrite: '[Scratch]', nofile: '[Scratch]', prompt: '[Prompt]', quickfix: '[Quickfix List]'}

# Sets 'tabline' while a tab page shows a proposal and the person has set none.
export def Refresh()
  const is_needed = range(1, tabpagenr('$'))->indexof((_, tab) => TitleOf(tab) != '') >= 0
  if is_needed && &g:tabline == ''
    &g:tabline = OUR_TABLINE
    # The person may close the tab page of the proposal.
    const refresh = 'call timer_start(0, (_) => alongside#tabline#Refresh())'
    autocmd_add([{event: 'TabClosed', pattern: '*', group: 'alongside_tabs', replace: true, cmd: refresh}])
  elseif !is_needed && &g:tabline == OUR_TABLINE
    &g:tabline = ''
    autocmd_delete([{group: 'alongside_tabs'}])
  endif
enddef

# Returns the title of the proposal in a tab page, or ''.
def TitleOf(tab: number): string
  for buffer in tabpagebuflist(tab)
    const title = getbufvar(buffer, 'alongside_title', '')
    if title != ''
      return title
    endif
  endfor
  return ''
enddef

# Returns the name of the buffer in the current window of a tab page, as Vim shows it in a tab.
def NameOf(tab: number): string
  const buffer = tabpagebuflist(tab)[tabpagewinnr(tab) - 1]
  const [name, kind] = [bufname(buffer), getbufvar(buffer, '&buftype')]
  if name == '' || kind == 'quickfix'
    return get(UNNAMED_BUFFERS, kind, '[No Name]')
  endif
  return kind == 'help' ? fnamemodify(name, ':t') : pathshorten(fnamemodify(name, ':~'))
enddef

def IsModified(buffer: number): bool
  return getbufvar(buffer, '&modified') && index(['nofile', 'prompt', 'terminal'], getbufvar(buffer, '&buftype')) < 0
enddef

# Returns the text of a tab with at most `columns` columns: the number of its windows, "+" for unsaved text, and the end of
# the name.
def Label(tab: number, columns: number): string
  const buffers = tabpagebuflist(tab)
  const count = len(buffers) > 1 ? string(len(buffers)) : ''
  const flags = count .. (buffers->indexof((_, buffer) => IsModified(buffer)) >= 0 ? '+' : '')
  const before = flags == '' ? ' ' : $' {flags} '
  const title = TitleOf(tab)
  var name = strtrans(title == '' ? NameOf(tab) : title)
  while name != '' && strdisplaywidth(before .. name) >= columns
    name = name->strcharpart(1)
  endwhile
  return $'{before}{name} '
enddef

# Returns the tab line while a proposal is on the screen.
export def Draw(): string
  const count = tabpagenr('$')
  const columns = max([MIN_TAB_COLUMNS, (&columns - 1 + count / 2) / count])
  var [line, columns_drawn] = ['', 0]
  for tab in range(1, count)
    if columns_drawn >= &columns - 4
      break
    endif
    const label = Label(tab, columns)
    columns_drawn += strdisplaywidth(label)
    const group = tab == tabpagenr() ? 'TabLineSel' : 'TabLine'
    line ..= $'%{tab}T%#{group}#{label->substitute("%", "%%", "g")}'
  endfor
  return $'{line}%#TabLineFill#%T' .. (count > 1 ? '%=%#TabLine#%999XX' : '')
enddef
