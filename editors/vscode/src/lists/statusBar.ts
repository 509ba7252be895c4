// The state of the companion: the status bar, the badge, and the context keys that menus and welcome texts use.
// `treeRows.ts` has the rows of the two lists.

import * as vscode from 'vscode';
import type { SeenReviews } from '../accept/seenReviews';
import type { Agent, Status } from '../companion/protocol';
import { List, StatusBar } from '../messages/window';
import { proposalUri, type Reviews } from '../reviews/reviews';
import { Subscriber } from '../subscriber';
import { AgentRows, type GrantNode, grantsOf, ReviewRows } from './treeRows';

export class Overview extends Subscriber {
  private readonly reviewRows: ReviewRows;
  private readonly agentRows = new AgentRows();
  private readonly view: List<unknown>;
  private readonly agentView: List<unknown>;
  private readonly bar = new StatusBar('Alongside', 'alongside.glance');
  private readonly states = new Map<string, string>();
  private status: Status | undefined;
  // The names of agents whose hooks have asked for a review. No connection lists them.
  private readonly byHook = new Set<string>();

  constructor(private readonly reviews: Reviews, seen: SeenReviews) {
    super();
    this.reviewRows = new ReviewRows(reviews, seen);
    this.view = new List('alongside.reviews', this.reviewRows);
    this.agentView = new List('alongside.agents', this.agentRows);
    this.own(
      reviews.onDidChange(() => this.update()), seen.onDidChange(() => this.reviewRows.refresh()),
      this.view, this.agentView, this.bar,
    );
  }

  showStatus(status: Status): void {
    this.status = status;
    this.update();
  }

  // Shows the state of a window without a companion. An empty line hides the item.
  showLine(icon: string, line: string, tooltip: string[]): void {
    this.status = undefined;
    this.byHook.clear();
    this.update();
    this.bar.show(icon, line, tooltip);
  }

  private update(): void {
    const waiting = this.reviews.list();
    waiting.filter(({ agent }) => agent.byHook).forEach(({ display }) => this.byHook.add(display.agent));
    const { agents = [], paused = false, contextOnly = false } = this.status ?? {};
    const grants = this.status ? grantsOf(this.status) : [];
    const hooks = this.status ? [...this.byHook].filter((hook) => !agents.some(({ name }) => name === hook)) : [];
    this.reviewRows.refresh();
    this.agentRows.show(agents, hooks, grants);
    const count = waiting.length;
    this.view.showDescription(this.reviewRows.onlyAgent());
    this.view.showCount(count, count === 1 ? '1 proposal waits' : `${count} proposals wait`);
    this.view.showMessage(paused && count > 0 ? 'Paused: agents learn nothing about your files. Proposals come as before.' : undefined);
    this.set('waiting', count > 0);
    this.set('several', count > 1);
    // The documents of proposals whose agents read reasons.
    this.set('withReasons', waiting.filter(({ reasons }) => reasons).map((review) => proposalUri(review).toString()));
    this.set('hasAgents', agents.length + hooks.length > 0);
    this.set('paused', paused);
    this.set('hasGrants', grants.length > 0);
    this.set('contextOnly', contextOnly);
    if (this.status) {
      this.showBar(this.status, agents, hooks, grants);
    }
  }

  private showBar({ paused, display }: Status, agents: Agent[], hooks: string[], grants: GrantNode[]): void {
    const count = this.reviews.list().length;
    const line = count > 0 ? `${count} proposal${count === 1 ? '' : 's'}` : display.line;
    const states = [paused ? 'paused' : '', grants.length > 0 ? 'accepts ahead' : ''].filter(Boolean);
    const names = [...agents.map(({ name }) => name), ...hooks.map((name) => `${name}, by its hook`)].join(', ');
    const click = count > 0 ? 'Click to show the next proposal.' : 'Click to show the agents.';
    const ahead = grants.map(({ agent, place }) => `Accepted ahead, of ${agent}: ${place}`);
    const tooltip = ['Alongside', names, paused ? 'Context is paused: agents learn nothing about your files.' : '', ...ahead, click].filter(Boolean);
    this.bar.show(paused ? 'debug-pause' : grants.length > 0 ? 'pass-filled' : 'comment-discussion', [line, ...states].join(', '), tooltip);
  }

  private set(name: string, value: unknown): void {
    const known = JSON.stringify(value);
    if (this.states.get(name) !== known) {
      this.states.set(name, known);
      void vscode.commands.executeCommand('setContext', `alongside.${name}`, value);
    }
  }
}
