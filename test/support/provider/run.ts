import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startFakeProvider } from './provider.ts';
import { quirks } from './quirks/quirks.ts';

/** `npm run fake-provider`: serves until Ctrl-C, and prints a line for each request. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '18080' },
      // A second port that serves the same, for workflows whose provider is Anthropic.
      'anthropic-port': { type: 'string' },
    },
  });
  const ports = [values.port, values['anthropic-port']].flatMap((port) => (port === undefined ? [] : [Number(port)]));
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const provider = await startFakeProvider({ ports, log: say });
  say(`A fake model provider listens on ${ports.map((port) => `http://127.0.0.1:${port}`).join(' and ')}.`);
  say('Vendors: /openai/v1, /anthropic, /gemini, /compatible/v1. Quirks, such as /cut/v1:');
  say(Object.keys(quirks).join(' '));
  await once(process, 'SIGINT');
  await provider.close();
  say(`${provider.bill.lines.length} replies cost $${provider.bill.usd.toFixed(6)}.`);
  return 0;
}
