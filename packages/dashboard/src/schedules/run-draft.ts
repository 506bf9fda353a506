import type { OperationInput } from '@millrace/client';
import { secondsOf } from '../runs/start/start-draft.ts';

/** Request that starts a run of a schedule. */
export type ScheduledRun = OperationInput<'schedules.create'>['run'];

/** The run of a schedule in the form; fields that the form does not show are kept in `others`. */
export interface RunDraft {
  /** A published workflow; undefined: the run starts from the text. */
  readonly workflow: string | undefined;
  readonly yaml: string;
  readonly input: string;
  /** One `NAME=VALUE` a line; values are JSON where they are some. */
  readonly variables: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly usd: string;
  readonly tokens: string;
  /** As in `90s`, `30m` or `2h`. */
  readonly limit: string;
  readonly priority: string;
  readonly others: Pick<ScheduledRun, 'attachments' | 'compat' | 'webhook'>;
}

/** Returns the run of a schedule as the form has it. */
export function draftOf({
  workflow,
  input,
  vars,
  tags,
  budget,
  timeoutSeconds,
  priority,
  ...others
}: ScheduledRun): RunDraft {
  return {
    workflow: typeof workflow === 'string' ? workflow : undefined,
    yaml: typeof workflow === 'string' ? '' : workflow.yaml,
    input: input ?? '',
    variables: Object.entries(vars ?? {})
      .map(([name, value]) => `${name}=${written(value)}`)
      .join('\n'),
    tags: (tags ?? []).join(', '),
    usd: textOf(budget?.usd),
    tokens: textOf(budget?.tokens),
    limit: timeoutSeconds === undefined ? '' : `${timeoutSeconds}s`,
    priority: textOf(priority),
    others,
  };
}

/** Returns the request of a draft; empty fields are left out. */
export function scheduledRunOf({
  workflow,
  yaml,
  input,
  variables,
  tags,
  usd,
  tokens,
  ...draft
}: RunDraft): ScheduledRun {
  const vars = Object.fromEntries(linesIn(variables).map(assignmentIn));
  const names = tags.split(',').map((tag) => tag.trim());
  const budget = { ...numberIn('usd', usd), ...numberIn('tokens', tokens) };
  const timeoutSeconds = secondsOf(draft.limit);
  return {
    workflow: workflow ?? { yaml },
    ...draft.others,
    ...(input === '' ? {} : { input }),
    ...(Object.keys(vars).length === 0 ? {} : { vars }),
    ...(tags.trim() === '' ? {} : { tags: names.filter((tag) => tag !== '') }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...numberIn('priority', draft.priority),
  };
}

/** Returns the error of a draft; undefined if it is valid. */
export function mistakeIn({ variables, limit }: RunDraft): string | undefined {
  const wrong = linesIn(variables).find((line) => !/^\s*[A-Za-z_]\w*\s*=/.test(line));
  if (wrong !== undefined) return `“${wrong}” is no NAME=VALUE.`;
  return limit.trim() !== '' && secondsOf(limit) === undefined
    ? 'Write a time limit such as 90s, 30m or 2h.'
    : undefined;
}

const textOf = (number: number | undefined): string => (number === undefined ? '' : String(number));

const numberIn = (name: string, text: string): Readonly<Record<string, number>> =>
  text.trim() === '' ? {} : { [name]: Number(text) };

const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

function assignmentIn(line: string): readonly [string, unknown] {
  const at = line.indexOf('=');
  return [line.slice(0, at).trim(), read(line.slice(at + 1).trim())];
}

/** Returns a value for a line: a text without quotes, unless it would be parsed as another type. */
const written = (value: unknown): string =>
  typeof value === 'string' && value.trim() === value && !value.includes('\n') && read(value) === value
    ? value
    : JSON.stringify(value);

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
