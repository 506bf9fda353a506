import type { Failure, TerminationDefinition, TerminationDelta } from '@millrace/core';
import { defineTermination, singleLine } from '@millrace/core';
import { z } from 'zod';
import { startDeadline } from '../deadlines/deadline.ts';
import { describeFunctions } from '../functions/call-function.ts';
import type { TerminationFunction, TerminationVerdict } from '../functions/termination-function.ts';
import { conditionMessageFilter, filterItems, messageFilterFields, withFilterDefaults } from './message-filter.ts';

/** Configuration of a `function` condition. */
export const FunctionTerminationConfig = z
  .object({
    name: z
      .string({ error: 'Write the name of a function.' })
      .min(1, { error: 'Write the name of a function.' })
      .regex(singleLine)
      .describe('Name of a registered function.'),
    args: z
      .record(z.string(), z.unknown(), { error: 'Write a mapping of names to values.' })
      .default({})
      .describe('Arguments of the function.'),
    timeout_ms: z
      .int({ error: 'Write a whole number of milliseconds.' })
      .min(1, { error: 'Write a number of at least 1.' })
      .default(5000)
      .describe('Time limit of the function, in milliseconds.'),
    on_error: z
      .enum(['fail_run', 'ignore', 'stop'], { error: 'Write fail_run, ignore or stop.' })
      .default('fail_run')
      .describe(
        'Effect of a failure of the function: fail_run fails the run, ignore does nothing, stop stops the scope.',
      ),
    ...messageFilterFields,
  })
  .transform(({ name, args, timeout_ms, on_error, ...fields }) => ({
    name,
    args,
    timeout_ms,
    on_error,
    ...withFilterDefaults(fields),
  }));

type Config = z.infer<typeof FunctionTerminationConfig>;

/** The state of a function, and the number of its changes. */
interface FunctionState {
  readonly version: number;
  readonly value: unknown;
}

/** Result of calling a function. `read`: version of the state with which it was called. */
type FunctionResult =
  | { readonly read?: number; readonly verdict: TerminationVerdict }
  | { readonly read?: number; readonly error: Failure };

/** Returns the condition that calls one of these functions. */
export function functionTermination(
  functions: ReadonlyMap<string, TerminationFunction>,
): TerminationDefinition<Config, FunctionResult, FunctionState> {
  return defineTermination<Config, FunctionResult, FunctionState>({
    type: 'function',
    summary: 'Calls a function of the installation.',
    config: FunctionTerminationConfig,
    messageFilter: (config) => conditionMessageFilter(config, false),
    check({ name }) {
      if (functions.has(name)) return [];
      const hint = describeFunctions([...functions.keys()]);
      return [
        {
          code: 'E_TERM_FUNCTION',
          severity: 'error',
          path: ['name'],
          message: `There is no termination function "${name}"`,
          hint,
        },
      ];
    },
    async observe(config, delta, { state, signal }) {
      const items = filterItems({ ...config, include_events: true }, delta);
      const isBlind = (delta.nested && !config.include_nested) || (delta.task && config.include_task === false);
      if (isBlind) return undefined;
      const kept = state as FunctionState | undefined; // what `step` kept
      return ask(functions.get(config.name), config, { delta: { ...delta, items }, kept, signal });
    },
    step(config, state, { observed }) {
      if (observed === undefined) return { type: 'stepped' };
      if (observed.read !== undefined && observed.read !== (state?.version ?? 0)) return { type: 'moved' };
      if ('error' in observed) return failed(config, observed.error);
      const { stop, reason, state: value } = observed.verdict;
      const next = observed.read === undefined || value === undefined ? {} : { state: after(state, value) };
      return { type: 'stepped', ...next, ...(stop ? { reason: reason || `function: ${config.name}` } : {}) };
    },
  });
}

const after = (state: FunctionState | undefined, value: unknown): FunctionState => ({
  version: (state?.version ?? 0) + 1,
  value,
});

function failed({ name, on_error }: Config, error: Failure) {
  if (on_error === 'fail_run') return { type: 'failed', error } as const;
  if (on_error === 'ignore') return { type: 'stepped' } as const;
  return { type: 'stepped', reason: `function: ${name}: ${error.message}` } as const;
}

interface EvaluationInput {
  readonly delta: TerminationDelta;
  readonly kept: FunctionState | undefined;
  readonly signal: AbortSignal;
}

async function ask(
  asked: TerminationFunction | undefined,
  { name, args, timeout_ms }: Config,
  { delta, kept, signal }: EvaluationInput,
): Promise<FunctionResult> {
  if (asked === undefined)
    return { error: { code: 'TERM_FUNCTION_MISSING', message: `There is no termination function "${name}" here.` } };
  const read = asked.init === undefined ? {} : { read: kept?.version ?? 0 };
  const limit = startDeadline(timeout_ms, signal);
  try {
    const state = kept === undefined ? asked.init?.(args) : kept.value;
    const result: unknown = await Promise.race([
      asked.evaluate(delta, state, { args, signal: limit.signal }),
      endOf(limit.signal),
    ]);
    const verdict = verdictOf(result);
    if (verdict !== undefined) return { ...read, verdict };
    const message = `The termination function "${name}" returned ${String(JSON.stringify(result))} instead of true, false or {stop, reason, state}.`;
    return { ...read, error: { code: 'TERM_FUNCTION_RETURN', message } };
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.expired ? `took longer than ${timeout_ms} ms` : `failed: ${messageOf(error)}`;
    return { ...read, error: { code: 'TERM_FUNCTION_FAILED', message: `The termination function "${name}" ${why}.` } };
  } finally {
    limit.clear();
  }
}

const Verdict = z.object({ stop: z.boolean(), reason: z.string().nullish(), state: z.unknown().optional() });

/** Parses the result of a function; returns undefined for a value that is neither a boolean nor a verdict. */
function verdictOf(result: unknown): TerminationVerdict | undefined {
  if (typeof result === 'boolean') return { stop: result };
  const read = Verdict.safeParse(result);
  if (!read.success) return undefined;
  const { stop, reason, state } = read.data;
  return { stop, ...(reason ? { reason } : {}), ...(state === undefined ? {} : { state }) };
}

const endOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
