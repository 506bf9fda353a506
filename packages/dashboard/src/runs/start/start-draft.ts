import type { OperationInput, UploadedFile } from '@millrace/client';
import { ApiProblem } from '@millrace/client';
import { parseDuration } from '@millrace/core/duration';

type StartBody = Omit<OperationInput<'runs.start'>, 'prefer'>;

/** Workflow of a new run: a reference to a published one, or a text. */
export type WorkflowChoice = string | { readonly yaml: string };

/** Input in the form of a new run; empty fields are left out of the request. */
export interface StartDraft {
  readonly input: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly files: readonly UploadedFile[];
  readonly usd: string;
  readonly tokens: string;
  /** As in `90s`, `30m` or `2h`. */
  readonly limit: string;
  /** With commas between them. */
  readonly tags: string;
  /** Time of its start. */
  readonly when: 'now' | 'schedule';
  readonly cron: string;
  readonly timezone: string;
  /** Id of the schedule. */
  readonly schedule: string;
}

/** Returns a duration in seconds; undefined if the text is no duration. */
export function secondsOf(text: string): number | undefined {
  const durationMs = parseDuration(text.trim());
  return durationMs === undefined ? undefined : durationMs / 1000;
}

/** Returns the request that starts the run of a draft. */
export function startBodyOf(workflow: WorkflowChoice, draft: StartDraft): StartBody {
  const { input, vars, files, usd, tokens, limit, tags } = draft;
  const given = Object.entries(vars).filter(([, value]) => value !== '');
  const budget = {
    ...(usd.trim() === '' ? {} : { usd: Number(usd) }),
    ...(tokens.trim() === '' ? {} : { tokens: Number(tokens) }),
  };
  const names = tags.split(',').map((tag) => tag.trim());
  const timeoutSeconds = secondsOf(limit);
  return {
    workflow,
    input,
    ...(files.length === 0 ? {} : { attachments: files.map(({ id }) => id) }),
    ...(given.length === 0 ? {} : { vars: Object.fromEntries(given) }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(tags.trim() === '' ? {} : { tags: names.filter((tag) => tag !== '') }),
  };
}

/** Error of a field, with its code. */
export interface FieldError {
  readonly code: string;
  readonly detail: string;
}

/** Returns the errors of the fields of a draft that are found without the server. */
export function mistakesIn({ limit, when, cron, schedule }: StartDraft): Readonly<Record<string, FieldError>> {
  const mistake = (detail: string): FieldError => ({ code: 'REQUEST_INVALID', detail });
  return {
    ...(limit.trim() !== '' && secondsOf(limit) === undefined
      ? { timeoutSeconds: mistake('Write a time such as 90s, 30m or 2h.') }
      : {}),
    ...(when === 'schedule' && cron.trim() === '' ? { cron: mistake('Write the times, as in 0 7 * * 1-5.') } : {}),
    ...(when === 'schedule' && schedule.trim() === '' ? { id: mistake('Give the schedule an id.') } : {}),
  };
}

/** Returns the errors of a refused request by the names of its fields; variables by `vars.NAME`. */
export function errorsByField(error: unknown, variables: readonly string[]): Readonly<Record<string, FieldError>> {
  if (!(error instanceof ApiProblem)) return {};
  const found: Record<string, FieldError> = {};
  for (const { pointer, detail, code = error.code } of error.errors) {
    const path = pointer
      .replace(/^#?\//, '')
      .replaceAll('/', '.')
      .replace(/^run\./, '');
    const variable = variables.find((name) => /^E_VARIABLE/.test(code) && detail.includes(name));
    const field = variable === undefined ? path.replace(/[.[]\d+\]?$/, '') : `vars.${variable}`;
    found[field] ??= { code, detail };
  }
  return found;
}

/** A variable of a workflow with the value that its text gives it. */
export interface Variable {
  readonly name: string;
  /** In the notation of the text; empty for none. */
  readonly value: string;
}

/**
 * Returns the variables that a workflow declares under `vars`, as far as their values are written in one line, and those
 * that its texts use without declaring them. The server reads the text properly; a form needs names and hints only.
 */
export function variablesIn(text: string): readonly Variable[] {
  const declared = new Map(declaredIn(text.split('\n')));
  for (const [, name = ''] of text.matchAll(/\$\{([A-Za-z_]\w*)\}/g)) if (!declared.has(name)) declared.set(name, '');
  return [...declared].map(([name, value]) => ({ name, value }));
}

function declaredIn(lines: readonly string[]): readonly (readonly [string, string])[] {
  const at = lines.findIndex((line) => /^vars\s*:/.test(line));
  if (at < 0) return [];
  const inline = /^vars\s*:\s*\{(.*)\}/.exec(lines[at] ?? '')?.[1];
  if (inline !== undefined) return inline.split(',').flatMap(pairIn);
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^\S/.test(line) && !line.startsWith('#'));
  const block = end < 0 ? rest : rest.slice(0, end);
  const indent = /^\s+(?=\w)/.exec(block.find((line) => /^\s+\w/.test(line)) ?? '')?.[0].length ?? 0;
  // Deeper lines belong to the values of variables.
  return block.filter((line) => /^\s+\w/.test(line) && line.search(/\w/) === indent).flatMap(pairIn);
}

function pairIn(text: string): (readonly [string, string])[] {
  const [, name, value = ''] = /^\s*["']?([A-Za-z_]\w*)["']?\s*:\s*(.*)$/.exec(text) ?? [];
  return name === undefined ? [] : [[name, unquoted(value.trim())]];
}

/** Returns a value without quotes and trailing comment; empty for a value of several lines. */
function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(value);
  if (quoted !== null) return quoted[1] ?? quoted[2]?.replaceAll("''", "'") ?? '';
  return /^[|>[{&*]/.test(value) ? '' : value.replace(/\s+#.*$/, '');
}
