// The part of the desk protocol (docs/desk-protocol.md) that this extension uses.

export interface Display { messages: string[] }

export interface ReviewDisplay extends Display {
  title: string;
  name: string;
  agent: string;
  // Of lines, as `+3 -1`.
  counts: string;
  states: string;
  // To accepting it together with others, beside what the person has not seen.
  obstacle?: string | null;
  notes: { text: string; warning: boolean }[];
  // Lines of the current text, and why they differ from those that look like them.
  hardToSee: { line: number; words: string }[];
  diff: string[];
}

export interface Lines { start: number; end: number }

export interface Hunk {
  original: Lines;
  proposed: Lines;
  current: Lines;
  state: 'kept' | 'dropped' | 'edited';
  // The person's, for dropping or editing it.
  reason?: string;
}

// Lines of a text, and the text in their place.
export interface Replacement { lines: Lines; text: string }

export interface ReviewState {
  id: number;
  revision: number;
  hunks: Hunk[];
  stale: boolean;
  dirty: boolean;
  // The person's, for the decision on all of it.
  reason?: string;
  display: ReviewDisplay;
}

export interface ChangedReview extends ReviewState {
  // Absent if the text stays.
  replacement?: Replacement;
}

export interface OpenedReview extends ReviewState {
  current: string;
  file: string;
  agent: { since: number; byHook?: boolean };
  // Absent for a new file.
  original?: string;
  proposed: string;
  // With which outcomes the agent's model reads a reason; absent for none.
  reasons?: 'withRejection' | 'always';
}

export interface ClosedReview {
  id: number;
  closing?: string;
  decidedHere?: boolean;
  draft?: string;
  display: Display;
}

export interface LastWord { file: string; word: string; display: Display }

// A change that a rule or a grant has accepted.
export interface AcceptedByRule {
  number: number;
  agent: string;
  file: string;
  kind: string;
  by: string;
  added: number;
  removed: number;
  diff: string;
  isBrokenOff?: boolean;
  // One that the companion names again after a start.
  isEarlier?: boolean;
}

export interface Agent { name: string; version: string }

export interface Grant { agent: string; path: string; scope: string }

export interface Status {
  agents: Agent[];
  paused: boolean;
  // The settings switch reviews off.
  contextOnly?: boolean;
  // The proposals that are accepted ahead.
  grants?: Grant[];
  // Leads agents to this window. It holds the token: never show or log it.
  environment: Record<string, string>;
  // With the places of the grants, in their order.
  display: Display & { line: string; granted: string[] };
}

// Why the server refuses a request; undefined if something else went wrong.
export function refusal(error: unknown): string | undefined {
  const { data } = error as { data?: { why?: unknown } };
  return typeof data?.why === 'string' ? data.why : undefined;
}

// The server's sentences about a refusal begin in lower case.
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.charAt(0).toUpperCase() + message.slice(1);
}
