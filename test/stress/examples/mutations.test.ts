import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';
import { exampleNames } from '../../support/runs/examples.ts';
import { mutationsOf } from '../../support/runs/mutations.ts';

/*
 * The runs of the examples' tests are recorded. Then each prompt and each condition of the examples is broken once: a recorded
 * test has to fail, and to name a node of what is broken.
 */

const folder = fileURLToPath(new URL('../../../examples/', import.meta.url));
const textOf = (example: string) => readFileSync(join(folder, `${example}.yaml`), 'utf8');

const directory = directoryBeforeAll();
const inside = (...path: readonly string[]) => join(String(directory), 'examples', ...path);
const environment = () => ({ MILLRACE_EXTENSIONS: inside('poem-functions.mjs') });

/** Files of recorded tests, by example. */
const recorded = new Map<string, string[]>();

/** Runs that cannot be recorded: this one waits for an answer at its end. */
const unrecorded: ReadonlySet<string> = new Set(['budget.yaml.2.jsonl']);

/** What changes no run when it is broken. */
const harmless: ReadonlySet<string> = new Set([
  // The description of a boss is for readers of the file.
  'boss graph.nodes.0.config.description',
  'boss-of-bosses graph.nodes.0.config.description',
  // The passthrough timer starts the node as often as this edge.
  'loop-timer-modes graph.edges.2.condition',
]);

beforeAll(async () => {
  cpSync(folder, inside(), { recursive: true });
  const kept = await command(['test', inside(), '--keep', inside('kept'), '--reporter', 'json'], {});
  const { tests }: { readonly tests: readonly { readonly status: string }[] } = JSON.parse(kept.stdout);
  expect(tests.filter(({ status }) => status !== 'passed')).toEqual([]);
  for (const file of readdirSync(inside('kept')).filter((name) => name.endsWith('.jsonl') && !unrecorded.has(name))) {
    const [example = '', number = ''] = file.split('.yaml.');
    const name = `recorded-${example}-${number.replace('.jsonl', '')}`;
    const workflow = inside(`${example}.yaml`);
    const args = ['--file', inside('kept', file), '--out', inside(), '--name', name, '--workflow', workflow];
    expect(await command(['record', ...args], environment())).toMatchObject({ code: 0 });
    recorded.set(example, [...(recorded.get(example) ?? []), inside(`${name}.test.yaml`)]);
  }
}, 600_000);

describe.each(exampleNames())('a recorded test of %s', (example) => {
  const text = textOf(example);
  afterEach(() => writeFileSync(inside(`${example}.yaml`), text));

  it('passes as long as nothing changes', async () => {
    expect(await command(['test', ...(recorded.get(example) ?? ['none'])], environment())).toMatchObject({ code: 0 });
  });

  it.each(mutationsOf(text).filter(({ name }) => !harmless.has(`${example} ${name}`)))(
    'fails when $name is broken, and names the node',
    async ({ text: changed, nodes }) => {
      writeFileSync(inside(`${example}.yaml`), changed);
      const { code, stdout } = await command(['test', ...(recorded.get(example) ?? ['none'])], environment());

      expect(code).toBe(1);
      expect(nodes.filter((node) => stdout.includes(node))).not.toEqual([]);
    },
  );
});
