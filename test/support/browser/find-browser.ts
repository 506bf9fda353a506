import { runProgram } from '../../../packages/runtime/src/redis/server/program/program.ts';

/** Returns a Chromium program on the PATH; undefined when there is none. */
export async function findBrowser(): Promise<string | undefined> {
  for (const program of ['chromium', 'chromium-browser', 'google-chrome']) {
    if ((await runProgram(program, ['--version'], 20_000)).type !== 'done') continue;
    const found = await runProgram('which', [program], 5000);
    if (found.type === 'done') return found.output;
  }
  return undefined;
}
