// A window of VS Code under a test's control: a browser without a screen that shows a code-server.
//
//   node vscode-window.mjs <directory of playwright-core> <browser> <settings of the fonts>
//
// Speaks JSON lines on stdin and stdout. A selector is Playwright's; `text` keeps only elements that hold it.

import { createRequire } from 'node:module';
import { serve } from './json-lines.mjs';

const [playwright, executablePath, fonts] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const SIZE = { width: 1280, height: 800 };
const PATIENCE = 40_000;

const browser = await chromium.launch({
  executablePath,
  chromiumSandbox: false,
  env: { ...process.env, FONTCONFIG_FILE: fonts },
});
const context = await browser.newContext({ viewport: SIZE, deviceScaleFactor: 1 });
const page = await context.newPage();
page.setDefaultTimeout(PATIENCE);

const find = (selector, text) => {
  const found = page.locator(selector);
  return (text === undefined ? found : found.filter({ hasText: text })).first();
};
const quick = page.locator('.quick-input-widget');
const row = (label) =>
  quick.getByRole('option').and(page.locator(`[aria-label="${label}"], [aria-label^="${label},"]`)).first();

const commands = {
  async open({ url }) {
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    await page.locator('.monaco-workbench .part.statusbar').waitFor();
  },
  wait: ({ selector, text, state }) => find(selector, text).waitFor({ state }),
  click: ({ selector, text }) => find(selector, text).click(),
  focus: ({ selector }) => find(selector).focus(),
  press: ({ keys }) => page.keyboard.press(keys),
  type: ({ text }) => page.keyboard.type(text),
  async run({ title }) {
    // A window that takes the focus meanwhile closes the list.
    for (let tries = 0; ; tries += 1) {
      await page.keyboard.press('F1');
      try {
        await quick.locator('input.input').fill(`>${title}`, { timeout: 5000 });
        await row(title).click({ timeout: 5000 });
        break;
      } catch (error) {
        if (tries === 8) {
          throw error;
        }
      }
    }
    await quick.waitFor({ state: 'hidden' });
  },
  async openFile({ name }) {
    const named = quick.getByRole('option').filter({ hasText: name });
    // For a moment after its end, the tab of a review is offered beside the file.
    for (let tries = 0; ; tries += 1) {
      await page.keyboard.press('Control+P');
      await quick.locator('input.input').fill(name);
      await named.first().waitFor();
      await page.waitForTimeout(200);
      if (await named.count() === 1 || tries === 50) {
        break;
      }
      await page.keyboard.press('Escape');
      await quick.waitFor({ state: 'hidden' });
    }
    await named.first().click();
    await quick.waitFor({ state: 'hidden' });
    // It has the focus already, or is about to get it.
    await page.locator(`.editor-instance .monaco-editor[data-uri$='/${name}'] .native-edit-context`).first().focus();
  },
  text: ({ selector, text }) => find(selector, text).innerText(),
  // Editors draw their lines in no order, and a space as one that does not break.
  lines: ({ selector }) =>
    find(`${selector} .view-lines`).evaluate((view) => {
      const top = (line) => parseFloat(line.style.top);
      const lines = [...view.querySelectorAll('.view-line')].sort((one, other) => top(one) - top(other));
      return lines.map((line) => line.textContent.replace(/\u00a0/g, ' ')).join('\n');
    }),
  hover: ({ selector, text }) => find(selector, text).hover(),
  // Elements come and go: every one that appears from now on counts, also for a moment.
  watch: ({ selector }) =>
    page.evaluate((selector) => {
      window.appeared = [];
      const look = (node) => {
        if (node instanceof Element) {
          const found = [...(node.matches(selector) ? [node] : []), ...node.querySelectorAll(selector)];
          window.appeared.push(...found.map((element) => (element.parentElement ?? element).outerHTML));
        }
      };
      const observer = new MutationObserver((records) =>
        records.forEach(({ type, target, addedNodes }) => (type === 'attributes' ? look(target) : addedNodes.forEach(look))));
      const attributeFilter = ['href', 'data-href', 'src', 'class'];
      observer.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter });
      look(document.documentElement);
    }, selector),
  appeared: () => page.evaluate(() => window.appeared),
  picture: ({ path }) => page.screenshot({ path }),
  screen: () => page.locator('body').innerText(),
  close: () => browser.close(),
};

serve(commands, process.stdin, send);
