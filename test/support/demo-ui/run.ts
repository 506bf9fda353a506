import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { serveDemo } from './serve-demo.ts';

/** Serves the demo of the dashboard until Ctrl-C, at `--port N`, 4700 if absent. */
export async function main(args: readonly string[]): Promise<number> {
  const { port } = parseArgs({ args: [...args], options: { port: { type: 'string', default: '4700' } } }).values;
  const demo = await serveDemo(Number(port));
  process.stdout.write(`The dashboard is at ${demo.url}/ui/\n`);
  for (const [shows, run] of Object.entries(demo.runs)) {
    process.stdout.write(`  ${shows.padEnd(10)} ${demo.url}/ui/runs/${run}\n`);
  }
  process.stdout.write('Ctrl-C stops it, and removes its data.\n');
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => stop.abort());
  const alive = setInterval(() => undefined, 60_000);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  clearInterval(alive);
  await demo.close();
  return 0;
}
