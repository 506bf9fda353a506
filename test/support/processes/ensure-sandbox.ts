import { installPackage } from '../../../packages/cli/src/client/install-redis.ts';
import { runProgram } from '../../../packages/runtime/src/adapters/redis-server/find-redis.ts';

/**
 * Before the first test that confines programs: installs bubblewrap if need be. Where that is impossible, the tests of
 * machines with bubblewrap fail and say so.
 */
export async function setup(): Promise<void> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  if ((await runProgram('bwrap', ['--version'], 20_000)).type === 'done') return;
  if (await installPackage('bubblewrap', report)) return;
  report('no bwrap on the PATH, and it cannot be installed: the tests of programs that it confines will fail');
}
