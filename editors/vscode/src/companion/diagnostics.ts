// The problems that VS Code shows, for agents that request them. The companion omits files that agents must not know.

import * as vscode from 'vscode';

interface FileDiagnostics { path: string; diagnostics: object[] }

export function allDiagnostics(): FileDiagnostics[] {
  return vscode.languages.getDiagnostics()
    .filter(([uri, found]) => uri.scheme === 'file' && found.length > 0)
    .map(([uri, found]) => ({ path: uri.fsPath, diagnostics: found.map(toLsp) }));
}

function toLsp({ range, severity, code, source, message }: vscode.Diagnostic): object {
  const place = ({ line, character }: vscode.Position): object => ({ line, character });
  const value = typeof code === 'object' ? code.value : code;
  // VS Code numbers severities from 0, LSP from 1.
  return { range: { start: place(range.start), end: place(range.end) }, severity: severity + 1, code: value, source, message };
}
