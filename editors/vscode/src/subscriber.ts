// The base of the parts that listen to VS Code or to each other until the extension ends.

import * as vscode from 'vscode';

export abstract class Subscriber implements vscode.Disposable {
  private readonly owned: vscode.Disposable[] = [];

  // Takes over what ends with this part.
  protected own(...disposables: vscode.Disposable[]): void {
    this.owned.push(...disposables);
  }

  dispose(): void {
    vscode.Disposable.from(...this.owned).dispose();
  }
}
