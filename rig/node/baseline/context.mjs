// The files that the person has open, told 50 ms after their last change, as the contract says.

const DEBOUNCE_MS = 50;

export class Context {
  #files = new Map();
  #timer;
  #tell;
  newest;

  constructor(tell) {
    this.#tell = tell;
  }

  cursor(path, line, character) {
    for (const file of this.#files.values()) {
      delete file.isActive;
      delete file.cursor;
    }
    this.#files.set(path, { path, timestamp: Date.now(), isActive: true, cursor: { line, character } });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), DEBOUNCE_MS);
    return true;
  }

  #update() {
    const openFiles = [...this.#files.values()].sort((one, other) => other.timestamp - one.timestamp).slice(0, 10);
    this.newest = { workspaceState: { openFiles } };
    this.#tell(this.newest);
  }
}
