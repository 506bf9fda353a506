import { runProgram } from '../../../packages/runtime/src/adapters/redis-server/find-redis.ts';

/** Chromium without its windows, which needs half of the time for a page; a package of Debian's. */
export const headlessShell = 'chromium-headless-shell';

/** Returns the first of these programs that is on the PATH; undefined when there is none. */
export async function findBrowser(
  programs: readonly string[] = [headlessShell, 'chromium', 'chromium-browser', 'google-chrome'],
): Promise<string | undefined> {
  for (const program of programs) {
    if ((await runProgram(program, ['--version'], 20_000)).type !== 'done') continue;
    const found = await runProgram('which', [program], 5000);
    if (found.type === 'done') return found.output;
  }
  return undefined;
}
