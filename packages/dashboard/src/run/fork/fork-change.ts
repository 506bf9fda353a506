import type { ForkRun } from '@millrace/client';

/** Differences of a fork from its original run. */
export type Difference = 'output' | 'again' | 'input' | 'settings';

/** Returns the differences with their words; a node that asks no model has neither a prompt nor a model. */
export const differencesOf = (asksModel: boolean): Readonly<Record<Difference, string>> => ({
  output: 'Change the output',
  input: 'Change the input',
  settings: asksModel ? 'Change the prompt or model' : 'Change variables',
  again: 'Run it again',
});

/** Request of a node to a model. */
export interface ModelSettings {
  /** Empty: none. */
  readonly prompt: string;
  /** Empty if the node calls no model. */
  readonly model: string;
}

/** Input in the dialog. */
export interface ForkDraft extends ModelSettings {
  readonly difference: Difference;
  readonly output: string;
  readonly input: string;
  /** One `NAME=VALUE` a line. */
  readonly variables: string;
}

/** Returns the request of a draft; settings that are those of the original run, or no model, are left out. */
export function requestOf(at: string, draft: ForkDraft, before: ModelSettings): ForkRun {
  const { difference, output, input, prompt, model } = draft;
  if (difference === 'output') return { at, output };
  if (difference === 'input') return { at, input };
  if (difference === 'again') return { at };
  const vars = Object.fromEntries(assignmentsIn(draft.variables));
  return {
    at,
    ...(prompt === before.prompt ? {} : { prompt }),
    ...(model === before.model || model === '' ? {} : { model }),
    ...(Object.keys(vars).length === 0 ? {} : { vars }),
  };
}

/** Returns the lines that are no `NAME=VALUE`. */
export const wrongLines = (text: string): readonly string[] =>
  linesIn(text).filter((line) => !/^\s*[A-Za-z_]\w*\s*=/.test(line));

function assignmentsIn(text: string): readonly (readonly [string, string])[] {
  return linesIn(text).map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
}

const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');
