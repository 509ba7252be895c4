// The part of the desk protocol (docs/desk-protocol.md) that this extension uses.

export interface Display { messages: string[] }

export interface ReviewDisplay extends Display {
  title: string;
  name: string;
  agent: string;
  // The lines added and removed, as `+3 -1`.
  counts: string;
  states: string;
  // The obstacle to accepting the proposal together with others, apart from unseen changes.
  obstacle?: string | null;
  notes: { text: string; warning: boolean }[];
  // Lines of the current text, with the reason why each differs from the line that it looks like.
  hardToSee: { line: number; words: string }[];
  diff: string[];
}

export interface Lines { start: number; end: number }

export interface Hunk {
  original: Lines;
  proposed: Lines;
  current: Lines;
  state: 'kept' | 'dropped' | 'edited';
  // The person's reason for dropping or editing the change.
  reason?: string;
}

// Lines of a text, and the text that replaces them.
export interface Replacement { lines: Lines; text: string }

export interface ReviewState {
  id: number;
  revision: number;
  hunks: Hunk[];
  stale: boolean;
  dirty: boolean;
  // The person's reason for the decision on the whole proposal.
  reason?: string;
  display: ReviewDisplay;
}

export interface ChangedReview extends ReviewState {
  // Absent if the text is unchanged.
  replacement?: Replacement;
}

export interface OpenedReview extends ReviewState {
  current: string;
  file: string;
  agent: { since: number; byHook?: boolean };
  // Absent for a new file.
  original?: string;
  proposed: string;
  // The outcomes with which the agent's model reads a reason; absent if it reads none.
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
  // Whether the companion only repeats the change after a start.
  isEarlier?: boolean;
}

export interface Agent { name: string; version: string }

export interface Grant { agent: string; path: string; scope: string }

export interface Status {
  agents: Agent[];
  paused: boolean;
  // The settings switch reviews off.
  contextOnly?: boolean;
  // The grants by which proposals are accepted ahead.
  grants?: Grant[];
  // The variables that lead agents to this window. They contain the token: never show or log them.
  environment: Record<string, string>;
  // `granted` describes the files of the grants, in their order.
  display: Display & { line: string; granted: string[] };
}

// Returns the reason why the server refused a request; undefined if something else failed.
export function refusal(error: unknown): string | undefined {
  const { data } = error as { data?: { why?: unknown } };
  return typeof data?.why === 'string' ? data.why : undefined;
}

// Returns the message of an error as a sentence: the server's refusals begin in lower case.
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.charAt(0).toUpperCase() + message.slice(1);
}
