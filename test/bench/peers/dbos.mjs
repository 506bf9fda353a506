// Durable steps with DBOS Transact on PostgreSQL. Prints the times of the same work that `npm run bench` gives to Millrace.
import { DBOS } from '@dbos-inc/dbos-sdk';

const { DATABASE_URL, SIZES } = process.env;
const { chain, chains, length, units, concurrency } = JSON.parse(SIZES);

const pass = async () => 'go';
const work = DBOS.registerWorkflow(
  async (steps) => {
    for (let at = 0; at < steps; at++) await DBOS.runStep(pass, { name: 'pass' });
  },
  { name: 'work' },
);
const unit = DBOS.registerWorkflow(async () => DBOS.runStep(pass, { name: 'pass' }), { name: 'unit' });
const map = DBOS.registerWorkflow(
  async (count) => {
    const handles = await limited(count, async () => DBOS.startWorkflow(unit)());
    for (const handle of handles) await handle.getResult();
  },
  { name: 'map' },
);

/** Runs a task `count` times, `concurrency` of them at a time. */
async function limited(count, task) {
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < count) results[next++] = await task();
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane));
  return results;
}

async function timed(action) {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: DATABASE_URL, logLevel: 'error', runAdminServer: false });
await DBOS.launch();
await work(20);
const times = {
  chain: (await timed(() => work(chain))) / chain,
  throughput: (chains * length * 1000) / (await timed(() => limited(chains, () => work(length)))),
  map: (await timed(() => map(units))) / units,
};
process.stdout.write(`${JSON.stringify(times)}\n`);
await DBOS.shutdown();
