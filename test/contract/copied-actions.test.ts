import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Cli } from '../../packages/cli/src/process/cli.ts';
import { createProgram } from '../../packages/cli/src/program.ts';
import { actions } from '../../packages/dashboard/src/kit/commands/actions.ts';
import { copyOf } from '../../packages/dashboard/src/kit/commands/copy-of.ts';
import type { ActionName, Copied, InputOf } from '../../packages/dashboard/src/kit/commands/definition.ts';
import { curlOf } from '../../packages/dashboard/src/kit/commands/equivalent.ts';
import { localRun } from '../../packages/dashboard/src/workflows/trying/local-run.ts';

type Command = Awaited<ReturnType<typeof createProgram>>;

const sources = new URL('../../packages/dashboard/src/', import.meta.url);
const filter = { workflow: 'poem', since: '1767225600000' };
const run = { workflow: 'poem', input: 'Rain', vars: { N: 1 }, tags: ['a'], budget: { usd: 1 }, timeoutSeconds: 60 };

/** An input of each action, with all that its command can say. */
const inputs: { readonly [N in ActionName]: InputOf<N> } = {
  'runs.start': { ...run, attachments: ['file_0', 'file_1'], priority: 2, ttlSeconds: 3600 },
  'runs.pause': { id: 'run_1' },
  'runs.resume': { id: 'run_1', budget: { usd: 2 }, input: 'Go on', to: 'A' },
  'runs.retry': { id: 'run_1' },
  'runs.cancel': { id: 'run_1' },
  'runs.stop': { id: 'run_1' },
  'runs.replay': { id: 'run_1', liveFrom: 'a2' },
  'runs.fork': { id: 'run_1', at: 'a2', input: 'i', prompt: 'p', model: 'm', vars: { A: 'b' } },
  'tasks.answer': { id: 'run_1.a3', text: '', attachments: ['file_0'] },
  'tasks.claim': { id: 'run_1.a3', assignee: 'ann', seconds: 600 },
  'tasks.release': { id: 'run_1.a3', assignee: 'ann' },
  'workflows.publish': { name: 'poem', yaml: 'graph: {}', note: 'First' },
  'workflows.archive': { name: 'poem', 'if-match': '"0a"' },
  'webhooks.create': { url: 'https://example.com', events: ['run.failed'], description: 'Ours' },
  'webhooks.change': { id: 'wh_1', url: 'https://example.com', events: ['run.failed'], description: 'Ours' },
  'webhooks.test': { id: 'wh_1' },
  'webhooks.delete': { id: 'wh_1' },
  'webhooks.redeliver': { id: 'wh_1', did: 'd1' },
  'webhooks.redeliverFailed': { id: 'wh_1' },
  'schedules.create': {
    ...{ id: 's', cron: '@daily', timezone: 'UTC', missed: 'once', overlap: 'allow' },
    run: { ...run, attachments: ['file_0'] },
  },
  'schedules.change': { id: 's', cron: '@daily', timezone: 'UTC', missed: 'once', overlap: 'allow', run },
  'schedules.delete': { id: 's' },
  'schedules.trigger': { id: 's' },
  'batches.create': { ...run, id: 'b', parallel: 3, columns: { Letter: 'input' } },
  'batches.delete': { id: 'b' },
  'batches.cancel': { id: 'b' },
  'batches.retryFailed': { id: 'b' },
  'batches.retryRow': { id: 'b', row: 3 },
  'bulk.create': { action: 'cancel', filter },
  'keys.create': { name: 'ci', scopes: ['read', 'run'], expiresAt: Date.now() + 86_400_000 },
  'keys.revoke': { id: 'key_1' },
  'intake.retry': { id: 'job 1' },
  'intake.drop': { id: 'job 1' },
  'limits.setTenant': { tenant: 'acme', activations: 20 },
  'limits.setWorkflow': { tenant: 'acme', workflow: 'poem', activations: 20 },
  'limits.liftTenant': { tenant: 'acme' },
  'limits.liftWorkflow': { tenant: 'acme', workflow: 'poem' },
  'queues.pause': { queue: 'default' },
  'queues.resume': { queue: 'default' },
};

const names = Object.keys(actions) as ActionName[]; // of the definitions
const copies = (name: ActionName): Copied => copyOf(name, inputs[name]);

it.each(names)('copies %s as a command that the command line has, and as a request', async (name) => {
  const { command = [], request } = copies(name);

  expect(command, `${name} has no command`).not.toEqual([]);
  const words = command.filter((word) => typeof word === 'string');
  const terminal = { data: () => undefined, say: () => undefined };
  const program = await createProgram({ terminal } as unknown as Cli, [words[0] ?? '']); // it is not run
  expect(mistakeIn(program, words)).toBeUndefined();
  expect(curlOf({ request }, { origin: 'http://here' })).toMatch(/^curl (-X \w+ )?'?http:\/\/here\/v1\//);
});

it('copies a body, a form with a file, and the condition of a publication', () => {
  const curl = (name: ActionName) => curlOf(copies(name), { origin: 'http://here' });

  expect(curl('queues.pause')).toBe('curl -X POST http://here/v1/queues/default/pause');
  expect(curl('limits.setTenant')).toBe(`curl -X PUT http://here/v1/limits/acme --json '{"activations":20}'`);
  expect(curl('workflows.archive')).toContain(`-H 'if-match: "0a"'`);
  const table = copyOf('batches.create', inputs['batches.create'], { file: 'letters.csv' });
  expect(curlOf(table, { origin: 'http://here' })).toContain(`-F 'columns={"Letter":"input"}'`);
  expect(curlOf(table, { origin: 'http://here' })).toContain('-F file=@letters.csv');
  expect(table.command).toContain('letters.csv');
});

it('copies what commands read from a file or from standard input', () => {
  const draft = copyOf('runs.start', { workflow: { yaml: 'graph: {}' }, input: 'x', tags: ['draft'] });
  expect(draft).toMatchObject({
    file: { name: 'draft.yaml', text: 'graph: {}' },
    command: ['run', 'draft.yaml', '--input', 'x', '--tag', 'draft'],
  });
  expect(localRun({ workflow: { yaml: 'graph: {}' }, input: 'x' })).toMatchObject({
    file: { name: 'draft.yaml', text: 'graph: {}' },
    command: ['run', '--local', 'draft.yaml', '--input', 'x'],
  });
  expect(copies('tasks.answer')).toMatchObject({
    command: ['answer', 'run_1.a3', '-', '--attach', 'file_0', '--empty'],
    stdin: '',
  });
  expect(copyOf('runs.start', { workflow: 'poem', input: '@all: go', vars: { N: '1' } })).toMatchObject({
    command: ['run', 'poem', '--input', '-', '--var', 'N="1"'],
    stdin: '@all: go',
  });
  expect(copyOf('runs.fork', { id: 'r', at: 'a1', output: '-', prompt: '@role' })).toMatchObject({
    command: ['fork', 'r', '--at', 'a1', '--output', '-', '--prompt', '@prompt.txt'],
    file: { name: 'prompt.txt', text: '@role' },
    stdin: '-',
  });
  expect(copyOf('bulk.create', { action: 'retry', filter: { ids: ['a', 'b'] } }).command).toEqual([
    ['retry', 'a'],
    ['retry', 'b'],
  ]);
});

/** Calls that change nothing visible to others, or that the enclosing screen copies. */
const withoutCopy = [
  'batches/results/save-results.tsx',
  'frame/sign-in/sign-in-form.tsx',
  'inbox/attachments.tsx',
  'runs/start/file-field.tsx',
  'schedules/new-schedule-screen.tsx',
  'schedules/schedule-screen.tsx',
  'webhooks/new-webhook-screen.tsx',
  'webhooks/webhook-screen.tsx',
];

it('finds the forms in which it is copied beside each action of the sources', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  );
  const textOf = (file: string) => readFileSync(new URL(file, sources), 'utf8');
  const all = files
    .filter((file) => !file.startsWith('kit/commands/'))
    .map(textOf)
    .join('\n');

  const bare = files.filter(
    (file) => /useMutation\(/.test(textOf(file)) && !/\bcop(yOf|ied[A-Z]\w*)\(/.test(textOf(file)),
  );
  expect(bare.sort()).toEqual(withoutCopy);
  const isCopied = (name: string) =>
    all.includes(`'${name}'`) || all.includes(`copyOf(\`${name.slice(0, name.indexOf('.'))}.\${`);
  expect(names.filter((name) => !isCopied(name))).toEqual([]);
});

/** Returns what is wrong with a command line; undefined when the program has its command, options and arguments. */
function mistakeIn(program: Command, words: readonly string[]): string | undefined {
  const [command, rest] = commandIn(program, words);
  const operands: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    const option = command.options.find(({ long }) => long === word);
    if (option === undefined) operands.push(word);
    else if (option.required) at++;
  }
  const unknown = operands.find((word) => word.startsWith('--'));
  if (unknown !== undefined) return `${command.name()} has no option ${unknown}`;
  const wanted = command.registeredArguments;
  const fewest = wanted.filter(({ required }) => required).length;
  const isComplete = command.commands.length === 0 && operands.length >= fewest && operands.length <= wanted.length;
  return isComplete ? undefined : `${command.name()} takes other arguments than ${operands.join(' ')}`;
}

/** Returns the command that the first words name, and the other words. */
function commandIn(command: Command, [word, ...rest]: readonly string[]): readonly [Command, readonly string[]] {
  const next = command.commands.find(
    (one) => word !== undefined && (one.name() === word || one.aliases().includes(word)),
  );
  if (next !== undefined) return commandIn(next, rest);
  return [command, word === undefined ? [] : [word, ...rest]];
}
