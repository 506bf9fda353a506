import { parseArgs } from 'node:util';
import type { ProfileName } from './profiles.ts';
import { profileNames } from './profiles.ts';

/** Options of the load program. */
export interface Options {
  /** Numbers of worker processes; each is measured by itself. */
  readonly workers: readonly number[];
  /** Time that is measured, in seconds. */
  readonly seconds: number;
  readonly profile: ProfileName;
  /** Activations that a worker executes at a time. */
  readonly concurrency: number;
  /** Time until the model answers, in milliseconds. */
  readonly modelMs: number;
  readonly output: 'table' | 'json' | 'markdown';
}

/** Usage of the load program's command line. */
export const usage = `usage: npm run load -- [--workers N[,N…]] [--seconds T] [--profile ${profileNames.join('|')}] [--concurrency N] [--model-ms N] [--json | --markdown]`;

/** Reads the command line; a string says what is wrong with it. */
export function readOptions(args: readonly string[]): Options | string {
  try {
    return optionsOf(parse(args));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function optionsOf(values: ReturnType<typeof parse>): Options {
  const profile = profileNames.find((name) => name === values.profile);
  if (profile === undefined) throw new Error(`There is no profile "${values.profile}".`);
  if (values.json && values.markdown) throw new Error('Give one of --json and --markdown.');
  const written = values.markdown ? 'markdown' : 'table';
  return {
    workers: values.workers.split(',').map((text) => positive('--workers', text)),
    seconds: positive('--seconds', values.seconds),
    profile,
    concurrency: positive('--concurrency', values.concurrency),
    modelMs: positive('--model-ms', values['model-ms']),
    output: values.json ? 'json' : written,
  };
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`${option} takes whole numbers from 1 on, not "${text}".`);
  return number;
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      workers: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '20' },
      profile: { type: 'string', default: 'agents' },
      concurrency: { type: 'string', default: '20' },
      'model-ms': { type: 'string', default: '500' },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
    },
  }).values;
