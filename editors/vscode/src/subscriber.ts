// The base class of the parts that subscribe to events until the extension ends.

import * as vscode from 'vscode';

export abstract class Subscriber implements vscode.Disposable {
  private readonly owned: vscode.Disposable[] = [];

  // Adds disposables that are disposed of with this part.
  protected own(...disposables: vscode.Disposable[]): void {
    this.owned.push(...disposables);
  }

  dispose(): void {
    vscode.Disposable.from(...this.owned).dispose();
  }
}
