// `npm run docs:pictures`: takes a picture of the dashboard with a run that waits for a person.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { root, say } from '../process.mjs';

const [file = join(root, 'docs/images/dashboard.png')] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'millrace-screenshot-'));
const env = { ...process.env, MILLRACE_DIR: directory };
const main = 'packages/cli/dist/main.js';
const newsroom = ['examples/newsroom.yaml', '--script', 'examples/newsroom.script.yaml'];

const up = spawn(process.execPath, [main, 'up', '--port', '0'], {
  cwd: root,
  env,
  stdio: ['ignore', 'ignore', 'pipe'],
});
const ended = once(up, 'exit');
try {
  const url = await addressOf(up);
  const run = await startRun('Announce to the neighbourhood that the library opens on Sundays.');
  const waiting = await fetch(`${url}/v1/runs/${run}?wait=20s`).then((response) => response.json());
  if (waiting.status !== 'waiting') throw new Error(`The run is ${waiting.status}, and should wait for its editor.`);
  await takePicture(`${url}/ui/runs/${run}`);
  say(`saved ${file}`);
} finally {
  up.kill('SIGTERM');
  await ended;
  rmSync(directory, { recursive: true, maxRetries: 10 });
}

async function addressOf(child) {
  let said = '';
  for await (const part of child.stderr.iterator({ destroyOnReturn: false })) {
    said += part;
    const [, url] = /HTTP API is at (http:\S+)/.exec(said) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The server did not start:\n${said}`);
}

async function startRun(task) {
  const args = [main, 'run', ...newsroom, '--detach', '--input', task];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
  let id = '';
  for await (const part of child.stdout) id += part;
  return id.trim();
}

async function takePicture(address) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1120 }, colorScheme: 'light' });
  await page.goto(address);
  await page.getByText('Researcher').first().waitFor();
  await page.waitForTimeout(1500);
  mkdirSync(dirname(file), { recursive: true });
  await page.screenshot({ path: file });
  await browser.close();
}
