// The manifest and the README agree on agents, settings with their defaults, commands and keys. People read both, and
// no other test compares them.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Setting { default: unknown; description?: string; markdownDescription?: string }
interface Command { command: string; title: string; category?: string }
interface Key { command: string; key: string; mac?: string; when?: string }
interface Item { command: string; when?: string }

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const readme = readFileSync('README.md', 'utf8');
const { properties } = manifest.contributes.configuration as { properties: Record<string, Setting> };
const { commands, keybindings, menus } = manifest.contributes as { commands: Command[]; keybindings: Key[]; menus: Record<string, Item[]> };

const rows = readme.split('\n').filter((line) => line.startsWith('| ')).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));

test('the marketplace names the agents', () => {
  for (const agent of ['Claude Code', 'Codex', 'Gemini CLI', 'Qwen Code']) {
    assert.ok(manifest.description.includes(agent), `the description: ${agent}`);
    assert.ok(manifest.keywords.includes(agent.toLowerCase()), `the keywords: ${agent}`);
    assert.ok(readme.slice(0, readme.indexOf('\n## ')).includes(agent), `the head of the README: ${agent}`);
  }
});

test('the README has each setting with its default', () => {
  for (const [name, setting] of Object.entries(properties)) {
    const row = rows.find(([cell]) => cell === `\`${name}\``);
    const value = setting.default === '' ? '' : `\`${JSON.stringify(setting.default).replaceAll(',', ', ')}\``;
    assert.equal(row?.[1], value, name);
    assert.ok(setting.description ?? setting.markdownDescription, name);
  }
  const named = rows.map(([cell = '']) => /^`(alongside\.\w+)`$/.exec(cell)?.[1]).filter((name) => name !== undefined);
  assert.deepEqual(named.sort(), Object.keys(properties).sort());
});

test('the README has each command of the palette', () => {
  const hidden = (menus.commandPalette ?? []).filter(({ when }) => when === 'false').map(({ command }) => command);
  const section = readme.slice(readme.indexOf('\nCommands ('), readme.indexOf('\n## Settings'));
  for (const { command, title, category } of commands.filter(({ command }) => !hidden.includes(command))) {
    assert.ok(section.includes(title), title);
    assert.equal(category, 'Alongside', command);
  }
});

// A key as people write it: `Ctrl+K Ctrl+R`.
const written = (key: string): string => key.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace(/Escape/g, 'Esc');

test('the README has each key', () => {
  for (const { key, mac, command } of keybindings) {
    assert.ok(readme.includes(`\`${written(key)}\``), `${command}: ${key}`);
    assert.ok(!mac || readme.includes(`\`${written(mac)}\``), `${command}: ${mac}`);
  }
});

test('every item of a menu is a command with a title', () => {
  const known = commands.map(({ command }) => command);
  for (const { command } of [...Object.values(menus).flat(), ...keybindings].filter(({ command }) => command)) {
    assert.ok(!command.startsWith('alongside.') || known.includes(command), command);
  }
});

// vsce turns relative links into URLs, also in code. Files of the repository are not in a packed extension.
test('a link of the README leads to a file', () => {
  for (const [, target = ''] of readme.matchAll(/\]\(([^)]*)\)/g)) {
    assert.ok(/^(https:\/\/|\.\.\/\.\.\/)/.test(target) || existsSync(target), target);
  }
});

test('each picture and page of the walkthrough is packed', () => {
  const packed = readFileSync('.vscodeignore', 'utf8').split('\n');
  const { steps } = manifest.contributes.walkthroughs[0] as { steps: { media: { svg?: string; markdown?: string } }[] };
  for (const { media: { svg, markdown } } of steps) {
    const file = svg ?? markdown ?? '';
    assert.ok(existsSync(file) && packed.includes(`!${file}`), file);
  }
});
