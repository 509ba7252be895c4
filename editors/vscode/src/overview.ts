// The waiting reviews and the agents at a glance: the view in the activity bar, and the status bar.

import * as vscode from 'vscode';
import type { Agent, Status } from './protocol';
import type { Review, Reviews } from './reviews';

export type Node = { review: Review } | { agent: Agent };

export class Overview implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly bar = vscode.window.createStatusBarItem('status', vscode.StatusBarAlignment.Left);
  private readonly subscription: vscode.Disposable;
  private agents: Agent[] = [];

  constructor(private readonly reviews: Reviews) {
    this.view = vscode.window.createTreeView('alongside.reviews', { treeDataProvider: this });
    this.subscription = reviews.onDidChange(() => this.update());
    this.bar.name = 'Alongside';
    this.bar.command = 'alongside.glance';
  }

  showStatus({ agents, paused, display }: Status): void {
    this.agents = agents;
    const icon = paused ? 'debug-pause' : 'comment-discussion';
    const message = paused ? 'Reports about files are paused.' : undefined;
    this.showLine(icon, display.line, message ?? 'Alongside');
    this.view.message = message;
    this.update();
  }

  // Without a companion.
  showState(text: string, tooltip: string): void {
    this.agents = [];
    this.view.message = undefined;
    this.showLine('circle-slash', text, tooltip);
    this.update();
  }

  hide(): void {
    this.agents = [];
    this.bar.hide();
    this.update();
  }

  private showLine(icon: string, text: string, tooltip: string): void {
    this.bar.text = `$(${icon}) ${text}`;
    this.bar.tooltip = tooltip;
    this.bar.show();
  }

  private update(): void {
    const count = this.reviews.list().length;
    this.view.badge = count > 0 ? { value: count, tooltip: count === 1 ? '1 proposal waits' : `${count} proposals wait` } : undefined;
    this.changes.fire();
  }

  getChildren(node?: Node): Node[] {
    return node ? [] : [...this.reviews.list().map((review) => ({ review })), ...this.agents.map((agent) => ({ agent }))];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ('agent' in node) {
      const item = new vscode.TreeItem(node.agent.name);
      item.description = node.agent.version;
      item.iconPath = new vscode.ThemeIcon('robot');
      return item;
    }
    const { display, file } = node.review;
    const item = new vscode.TreeItem(display.title);
    item.description = display.states;
    item.tooltip = [file, ...display.notes.map(({ text }) => text)].join('\n');
    item.contextValue = 'review';
    item.iconPath = new vscode.ThemeIcon(display.notes.some(({ warning }) => warning) ? 'warning' : 'diff');
    item.command = { title: 'Show Proposal', command: 'alongside.show', arguments: [node] };
    return item;
  }

  dispose(): void {
    vscode.Disposable.from(this.view, this.bar, this.changes, this.subscription).dispose();
  }
}
