import { installPackage } from '../../../packages/cli/src/client/install-redis.ts';
import { runProgram } from '../../../packages/runtime/src/adapters/redis-server/find-redis.ts';
import { findBrowser, headlessShell } from './find-browser.ts';

/** Before the first test that opens pages: installs Chromium if need be. Where that is impossible, those tests fail and say so. */
export async function setup(): Promise<void> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  if ((await findBrowser([headlessShell])) !== undefined) return;
  const isOffered = (await runProgram('apt-cache', ['show', headlessShell], 20_000)).type === 'done';
  if (isOffered && (await installPackage(headlessShell, report))) return;
  if ((await findBrowser()) !== undefined || (await installPackage('chromium', report))) return;
  report('no chromium on the PATH, and it cannot be installed: the tests that open pages in a browser will fail');
}
