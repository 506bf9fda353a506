import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { directoryBeforeAll } from '../support/fixtures.ts';

/* A program of another project, which has the client and nothing else of Millrace: its types need nothing else. */

const root = resolve(import.meta.dirname, '../..');
const good = `
import { type JournalEvent, Millrace, type Run, type RunHandle } from '@millrace/client';

const millrace = new Millrace({ url: 'http://127.0.0.1:4700' });
const run: RunHandle = await millrace.runs.start('poem', { input: 'Rain.', timeout: '2h' });
const paused: Run = await run.pause();
const same: Run = await millrace.call('runs.pause', { id: run.id });
for await (const { event } of run.events()) event.type.toUpperCase();
for await (const { event } of run.journal()) if ('nodeId' in event) (event.nodeId ?? '').toUpperCase();

/** Knows what each type has, and that these are all types. */
export function wordsOf(event: Exclude<JournalEvent, { type: \`\${'run' | 'graph' | 'items' | 'cycle' | 'units' | 'fanout' | 'scope' | 'step' | 'files' | 'alarm'}.\${string}\` }>): string {
  switch (event.type) {
    case 'activation.ready':
      return event.nodeId + event.nodeType + event.graph + (event.unit ?? 0) + (event.iteration ?? 0);
    case 'activation.answered':
      return (event.by ?? event.nodeId) + (event.text ?? '');
    case 'activation.started':
      return event.worker;
    case 'activation.suspended':
      return event.wait.prompt;
    case 'activation.completed':
      return event.text ?? event.outputs.length.toString();
    case 'activation.failed':
      return event.error.code;
    case 'activation.postponed':
    case 'activation.renewed':
    case 'activation.opened':
    case 'activation.admitted':
    case 'activation.dropped':
    case 'activation.short':
    case 'activation.funded':
      return event.activation;
    case 'tool.asked':
      return event.tool + (event.server ?? '') + event.arguments + event.hash;
    case 'tool.decided':
      return event.decision + (event.by ?? '') + (event.reason ?? '');
    case 'signal.received':
      return event.name;
    case 'journal.archived':
      return event.digest;
    case 'termination.moved':
    case 'termination.reset':
      return event.name;
    default:
      return event satisfies never;
  }
}
export const known: string = paused.tasks[0]?.prompt ?? same.status;
`;
const wrong = `
import { Millrace } from '@millrace/client';

const millrace = new Millrace({ url: 'http://127.0.0.1:4700' });
// @ts-expect-error
await millrace.runs.start('poem', { nonsense: 1 });
// @ts-expect-error
await millrace.runs.start('poem', { timeout: '2 hours' });
// @ts-expect-error
await millrace.call('runs.sleep', { id: 'run_1' });
// @ts-expect-error
await millrace.call('runs.pause', { run: 'run_1' });
// @ts-expect-error
await millrace.call('runs.list', { limit: true });
// @ts-expect-error
(await millrace.runs.get('run_1').pause()).nonsense;
for await (const { event } of millrace.runs.get('run_1').events()) {
  // @ts-expect-error
  if (event.type === 'activation.complete') break;
  // @ts-expect-error
  if (event.type === 'activation.ready') event.token.toUpperCase();
  // @ts-expect-error
  if (event.type === 'run.paused') event.nodeId.toUpperCase();
}
`;

const project = directoryBeforeAll({ 'package.json': '{ "type": "module" }', 'good.ts': good, 'wrong.ts': wrong });

it('compiles a program that uses the client alone, and refuses wrong uses', () => {
  const program = ts.createProgram([join(project, 'good.ts'), join(project, 'wrong.ts')], {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    allowImportingTsExtensions: true,
    paths: { '@millrace/client': [join(root, 'packages/client/src/index.ts')] },
  });

  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  expect(problems).toEqual([]);
  const others = program
    .getSourceFiles()
    .map(({ fileName }) => fileName)
    .filter((file) => !file.startsWith(project) && !file.startsWith(join(root, 'packages/client/src/')))
    .filter((file) => !/node_modules\/(typescript|eventsource-parser|standardwebhooks)\//.test(file));
  expect(others).toEqual([]);
}, 60_000);
