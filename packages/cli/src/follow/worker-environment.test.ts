import type { RunEvent } from '@millrace/client';
import { expect, it } from 'vitest';
import { createWorkerHint } from './worker-environment.ts';

const noKey = 'There is no API key. Set OPENAI_API_KEY in the environment of the worker.';

interface Failed {
  /** Absent: it has failed before its worker was announced. */
  readonly worker?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly executes?: boolean;
}

/** Returns what is said of an activation that a worker has started, and that has failed. */
function hintsOf(environment: Record<string, string>, { worker, executes = false, ...failed }: Failed) {
  const hint = createWorkerHint({ worker: 'here-1', environment, executes: () => executes });
  const { error = { code: 'MODEL_AUTH', message: noKey } } = failed;
  const events = [
    ...(worker === undefined ? [] : [{ type: 'activation.started', activation: 'a1', worker }]),
    { type: 'activation.failed', activation: 'a1', error },
    { type: 'activation.failed', activation: 'a1', error },
  ];
  return events.map((event) => hint({ event } as unknown as RunEvent)).filter((line) => line !== undefined); // the fields that are read
}

it('says once that this terminal has the key and the worker does not', () => {
  const hints = hintsOf({ OPENAI_API_KEY: 'k' }, { worker: 'there-2' });

  expect(hints).toEqual([
    expect.stringMatching(/^This terminal has OPENAI_API_KEY, worker there-2 does not: restart it/),
  ]);
});

it('says it of a call that failed before its worker was announced', () => {
  const hints = hintsOf({ OPENAI_API_KEY: 'k' }, {});

  expect(hints).toEqual([
    expect.stringMatching(/^This terminal has OPENAI_API_KEY, the worker that executes it does not: restart it/),
  ]);
});

it('names the variable of a secret that the worker lacks', () => {
  const error = { code: 'SECRET_MISSING', message: 'The variable API_KEY is not set where the worker runs.' };

  expect(hintsOf({ API_KEY: 'k' }, { worker: 'there-2', error })).toEqual([expect.stringContaining('has API_KEY')]);
});

it.each([
  ['this terminal has no key either', {}, { worker: 'there-2' }],
  ['its key is empty', { OPENAI_API_KEY: '' }, { worker: 'there-2' }],
  ['this process is the worker', { OPENAI_API_KEY: 'k' }, { worker: 'here-1' }],
  ['this process executes runs, and the call failed at once', { OPENAI_API_KEY: 'k' }, { executes: true }],
])('says nothing when %s', (_why, environment, failed) => {
  expect(hintsOf(environment, failed)).toEqual([]);
});
