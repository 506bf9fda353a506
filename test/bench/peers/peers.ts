import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sizes } from '../workload/sizes.ts';
import type { PeerName, Peers, PeerTimes } from './peer.ts';
import { peers } from './peer.ts';
import { startPostgres } from './postgres.ts';

const run = promisify(execFile);

const source = 'test/bench/peers';
const home = 'node_modules/.cache/bench-peers';
const concurrency = 50;

/** Measures the peers on this machine, one after the other; a text says why there are none. */
export async function measurePeers(sizes: Sizes, report: (line: string) => void): Promise<Peers> {
  report('installing DBOS and LangGraph');
  await mkdir(home, { recursive: true });
  await cp(source, home, { recursive: true });
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', home]);
  } catch (error) {
    return `DBOS and LangGraph cannot be installed here: ${String(error)}`;
  }
  const postgres = await startPostgres();
  if (postgres === undefined) return 'PostgreSQL is not installed here; on Debian: apt-get install postgresql';
  const { chain, chains, length, units } = sizes;
  const work = JSON.stringify({ chain, chains, length, units, concurrency });
  const times: Partial<Record<PeerName, PeerTimes>> = {};
  try {
    for (const name of ['dbos', 'langgraph'] as const) {
      report(peers[name].title);
      const node = (program: string, database: string, args: readonly string[] = []) =>
        run(process.execPath, ['--max-semi-space-size=32', join(home, program), ...args], {
          env: { ...process.env, DATABASE_URL: postgres.url(database), SIZES: work },
          maxBuffer: 64 * 1024 * 1024,
        });
      await node('create-database.mjs', 'postgres', [name]);
      const { stdout } = await node(peers[name].program, name);
      times[name] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as PeerTimes; // printed by the program
    }
  } finally {
    await postgres.stop();
  }
  return times as Peers; // all of them, or it has thrown
}
