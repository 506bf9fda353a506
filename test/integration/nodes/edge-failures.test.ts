import type { Extensions, ProcessorFunction } from '@millrace/catalog';
import { NodeError } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { openStage } from '../../support/runs/stage.ts';

const program = {
  script: 'print(1)',
  interpreter: 'python3',
  args: [],
  env: {},
  timeoutSeconds: 10,
  encoding: 'utf-8',
};

/** Receives the run of a call of `waits` that has begun. */
let begun: (run: string) => void = () => undefined;
const extensions: Extensions = {
  conditions: new Map([
    [
      'throws',
      () => {
        throw new Error('an error of the author');
      },
    ],
  ]),
  processors: new Map<string, ProcessorFunction>([
    [
      'refuses',
      () => {
        throw new NodeError('TEXT_REFUSED', 'Not this text.');
      },
    ],
    [
      'unhandled',
      async (text, _message, host) => {
        // The host itself fails: there is no such encoding.
        await host.runProgram({ ...program, encoding: 'none' });
        return text;
      },
    ],
    [
      'wraps',
      async (text, _message, host) => {
        try {
          await host.runProgram({ ...program, encoding: 'none' });
        } catch (cause) {
          throw new Error('my own words', { cause });
        }
        return text;
      },
    ],
    [
      'waits',
      (_text, _message, { run, signal }) =>
        new Promise((_, reject) => {
          begun(run);
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
    ],
  ]),
};

const stage = openBeforeAll(() => openStage({ where: { local: true }, extensions, sandbox: 'none' }));

const document = ({ edge, source = '', more = '' }: { edge: string; source?: string; more?: string }) => `graph:
  id: g
  start: [Source]
  end: [Target, Fallback]
  nodes:
    - {id: Source, type: passthrough, ${source}config: {}}
    - {id: Target, type: passthrough, config: {}}
    - {id: Fallback, type: passthrough, config: {}}
  edges:
    - {from: Source, to: Target, ${edge}}
    ${more}
`;

const run = async (written: Parameters<typeof document>[0]) => (await stage.run(document(written), 'task')).description;

const template = (text: string) => `processor: {type: template, config: {template: ${JSON.stringify(text)}}}`;
const call = (kind: 'condition' | 'processor', name: string) => `${kind}: {type: function, config: {name: ${name}}}`;
const onError = '- {from: Source, to: Fallback, condition: error}';
const limit = template('{% set n = 4200000000 %}{{ "x" * n }}');

describe('a condition or processor that reaches a limit or fails', () => {
  it.each([
    ['a template', limit, 'TEMPLATE_LIMIT'],
    ['a pattern', `condition: {type: regex, config: {pattern: '(\\w+)+\\b!$'}}`, 'REGEX_TIMEOUT'],
    ['a function that fails the activation', call('processor', 'refuses'), 'TEXT_REFUSED'],
    ['a host of a function', call('processor', 'unhandled'), 'INTERNAL'],
    ['a host of a function that throws errors of its own', call('processor', 'wraps'), 'INTERNAL'],
  ])('fails the activation: %s', async (_what, edge, code) => {
    const text = document({ edge });
    const { description } = await stage.run(text, `${'a'.repeat(60)}.`);

    expect(description).toMatchObject({ status: 'failed', error: { code, node: 'Source' }, warnings: { count: 0 } });
    expect(description.outputs).not.toHaveProperty('Target');
  });

  it('is handled by an edge for errors', async () => {
    expect(await run({ edge: limit, more: onError })).toMatchObject({
      status: 'completed',
      outputs: { Fallback: expect.stringContaining('The template cannot be rendered within its limits') },
    });
  });

  it('is handled by the error policy of the node', async () => {
    const going = await run({ edge: limit, source: 'on_error: continue, ' });
    const edge = template(
      '{% if content == "task" %}{% set n = 4200000000 %}{{ "x" * n }}{% else %}{{ content }}{% endif %}',
    );
    const told = await run({ edge, source: 'on_error: text, ' });

    expect(going).toMatchObject({ status: 'completed', outputs: {} });
    expect(told).toMatchObject({
      status: 'completed',
      outputs: { Target: expect.stringContaining('The template cannot be rendered within its limits') },
    });
  });

  it('fails the activation when the text of the failure does, too', async () => {
    expect(await run({ edge: limit, source: 'on_error: text, ' })).toMatchObject({
      status: 'failed',
      error: { code: 'TEMPLATE_LIMIT' },
    });
  });
});

it('lets messages pass that a function of the author throws on, with a warning', async () => {
  expect(await run({ edge: call('condition', 'throws') })).toMatchObject({
    status: 'completed',
    outputs: { Target: 'task' },
    warnings: { count: 1, latest: [{ message: expect.stringContaining('an error of the author') }] },
  });
});

it('lets nothing pass a condition on data that the message lacks, with a warning', async () => {
  expect(await run({ edge: 'condition: {type: data, config: {score: 8}}' })).toMatchObject({
    status: 'completed',
    outputs: {},
    warnings: { count: 1, latest: [{ code: 'W_DATA_MISSING' }] },
  });
});

it('lets no message pass when the run is cancelled during a function', async () => {
  const started = new Promise<string>((resolve) => {
    begun = resolve;
  });
  const ended = run({ edge: call('processor', 'waits') });
  await stage.runtime.runs.cancel(await started, 'enough');

  const { status, outputs, warnings } = await ended;
  expect({ status, outputs, warnings }).toEqual({
    status: 'cancelled',
    outputs: {},
    warnings: { count: 0, latest: [] },
  });
});
