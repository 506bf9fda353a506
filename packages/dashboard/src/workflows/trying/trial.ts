/** Try of a text, as its dialog has it. */
export interface Trial {
  readonly models: 'scripted' | 'real';
  readonly keep: 'temporary' | 'kept';
  /** Answer of scripted models; empty: they repeat what they are told. */
  readonly reply: string;
  readonly input: string;
  /** Budget in US dollars; empty: as the workflow says. */
  readonly limit: string;
  readonly vars: Readonly<Record<string, string>>;
}

/** Tag of runs of texts that are being written. */
export const draftTag = 'draft';

/** Time after which the run of a try is removed, in seconds. */
export const ttlSeconds = 60 * 60;

/** Returns the try that the dialog offers first: with scripted models where others would be asked, and temporary. */
export const newTrial = (asksModels: boolean): Trial => ({
  models: asksModels ? 'scripted' : 'real',
  keep: 'temporary',
  reply: '',
  input: '',
  limit: '',
  vars: {},
});

/** Returns the options of the run, with the variables that it needs. */
export function workOf({ models, input, limit, vars }: Trial, needed: readonly string[]) {
  const given = Object.fromEntries(needed.map((name) => [name, parsed(vars[name] ?? '')]));
  return {
    input,
    ...(needed.length === 0 ? {} : { vars: given }),
    ...(models === 'scripted' || limit === '' ? {} : { budget: { usd: Number(limit) } }),
  };
}

/** Returns the value of a variable: parsed as JSON if it is valid, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
