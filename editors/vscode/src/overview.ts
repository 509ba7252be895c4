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
    const message = paused ? 'Reports about files are paused.' : undefined;
    const click = this.reviews.list().length > 0 ? 'Click to show the next proposal.' : 'Click to show the agents.';
    const tooltip = ['Alongside', agents.map(({ name }) => name).join(', '), message, click].filter(Boolean).join('\n');
    this.showLine(`$(${paused ? 'debug-pause' : 'comment-discussion'}) ${display.line}`, tooltip, agents);
    this.view.message = message;
  }

  // An empty line takes no place.
  showLine(line: string, tooltip: string, agents: Agent[] = []): void {
    this.bar.text = line;
    this.bar.tooltip = tooltip;
    this.bar.show();
    this.view.message = undefined;
    this.agents = agents;
    this.update();
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
    const item = new vscode.TreeItem(display.name);
    item.description = [display.agent, display.states].filter(Boolean).join(', ');
    item.tooltip = [display.title, file, ...display.notes.map(({ text }) => text)].join('\n');
    // Else a screen reader would say the tooltip.
    item.accessibilityInformation = { label: `${display.title}, ${display.states}` };
    item.contextValue = 'review';
    item.iconPath = new vscode.ThemeIcon(display.notes.some(({ warning }) => warning) ? 'warning' : 'diff');
    item.command = { title: 'Show Proposal', command: 'alongside.show', arguments: [node] };
    return item;
  }

  dispose(): void {
    vscode.Disposable.from(this.view, this.bar, this.changes, this.subscription).dispose();
  }
}
