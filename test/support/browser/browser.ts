import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

/** It asks nobody on the network but the pages that a test opens. */
const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a Chromium without windows. `names` are hosts that it finds at 127.0.0.1, whatever the network says. */
export async function startBrowser(names: readonly string[] = []): Promise<Browser> {
  const executablePath = await findBrowser();
  if (executablePath === undefined) throw new Error('The tests of pages need chromium on the PATH.');
  const rules = names.map((name) => `MAP ${name} 127.0.0.1`).join(', ');
  const args = names.length === 0 ? quiet : [...quiet, `--host-resolver-rules=${rules}`];
  return chromium.launch({ executablePath, args });
}

let shared: Promise<Browser> | undefined;

/** Returns the Chromium that the files of this process share: each opens contexts of its own, and closes them. It ends with the process. */
export async function sharedBrowser(): Promise<Browser> {
  if (shared === undefined || !(await shared).isConnected()) shared = startBrowser();
  return shared;
}
