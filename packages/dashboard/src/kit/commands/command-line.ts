/** Commands of `millrace` that do the same as an operation, with what they read. */
export interface CommandLine {
  /** Arguments after `millrace`, a list for each command. */
  readonly commands: readonly (readonly string[])[];
  /** Text that the command reads from standard input. */
  readonly stdin?: string;
  /** File that the command reads, which is written first. */
  readonly file?: { readonly name: string; readonly text: string };
}

/** Returns commands as a text for a POSIX shell. */
export function shellTextOf({ commands, stdin, file }: CommandLine): string {
  const lines = commands.map((args) => ['millrace', ...args].map(quoted).join(' '));
  const written = file === undefined ? '' : `printf %s ${quoted(file.text)} > ${quoted(file.name)}\n`;
  const piped = stdin === undefined ? '' : `printf %s ${quoted(stdin)} | `;
  return `${written}${piped}${lines.join('\n')}`;
}

/** Quotes an argument for a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Fills the line `cli` of an operation with its input; `api/src/operation/cli-line.ts` describes the form of lines. */
export function commandLineOf(lines: readonly string[], input: object): CommandLine {
  const line = lines.find((one) => isMeant(one, input)) ?? '';
  const tokens = line.match(/\[[^\]]+\]|<[^>]+>|\S+/g) ?? [];
  const filled = tokens.map((token) => fill(token, input));
  const each = tokens.findIndex((token) => token.endsWith(':each>'));
  const args = filled.map((one) => one.args);
  const commands = args[each]?.map((value) => args.flatMap((all, at) => (at === each ? [value] : all)));
  const [stdin] = filled.flatMap((one) => one.stdin ?? []);
  const [file] = filled.flatMap((one) => one.file ?? []);
  return {
    commands: commands ?? [args.flat()],
    ...(stdin === undefined ? {} : { stdin }),
    ...(file === undefined ? {} : { file }),
  };
}

/** Tests if the fields are present on which a line depends. */
const isMeant = (line: string, input: object): boolean =>
  [...line.matchAll(/<([\w.]+)(?:\?|:each)/g)].every(([, path = '']) => valueAt(input, path) !== undefined);

const valueAt = (input: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], input); // fields of JSON

/** Arguments, and what the command reads. */
type FilledToken = Pick<CommandLine, 'stdin' | 'file'> & { readonly args: readonly string[] };

function fill(token: string, input: object): FilledToken {
  const [, condition, yes = '', no = ''] = /^<([\w.]+)\?(\w+)\|(\w+)>$/.exec(token) ?? [];
  if (condition !== undefined) return { args: [valueAt(input, condition) === true ? yes : no] };
  const [, flag, path, form = 'plain'] = /^(?:\[(--\S+) |<)([\w.]+)\??(?::([^\]>]+))?[\]>]$/.exec(token) ?? [];
  if (path === undefined) return { args: [token] };
  const value = valueAt(input, path);
  if (flag !== undefined && form === 'absent') return { args: value === undefined || value === '' ? [flag] : [] };
  const { args, ...read } = filledWith(value, form);
  if (flag === undefined) return { ...read, args: args.length === 0 ? [''] : args };
  return { ...read, args: args.flatMap((text) => [flag, text]) };
}

function filledWith(value: unknown, form: string): FilledToken {
  if (form.endsWith('stdin')) return { args: [form === 'stdin' ? '-' : form], stdin: String(value ?? '') };
  if (value === undefined || value === null) return { args: [] };
  if (form === 'json') return { args: [JSON.stringify(value)] };
  if (form.includes('.')) return inFile(value, form);
  const text = String(value);
  if (form === 'text' && isReference(text)) return { args: ['-'], stdin: text };
  const formatted = formats[form]?.(text);
  if (formatted !== undefined) return { args: formatted === '' ? [] : [formatted] };
  return { args: Array.isArray(value) || typeof value !== 'object' ? [value].flat().map(String) : assignments(value) };
}

/** Formats of values as one argument; an empty one is left out. */
const formats: Readonly<Record<string, (text: string) => string>> = {
  filled: (text) => text,
  list: (text) => text,
  seconds: (text) => `${text}s`,
  days: (text) => `${Math.max(1, Math.round((Number(text) - Date.now()) / dayMs))}d`,
  moment: (text) => (/^\d+$/.test(text) ? new Date(Number(text)).toISOString() : text),
};

const dayMs = 24 * 60 * 60 * 1000;

/** Tests if commands read a text from elsewhere: `@FILE` and `-`. */
const isReference = (text: string): boolean => text === '-' || text.startsWith('@');

/** Returns a file instead of the text of a workflow, and of a text that commands would read from elsewhere. */
function inFile(value: NonNullable<unknown>, name: string): FilledToken {
  if (typeof value === 'object' && 'yaml' in value) return { args: [name], file: { name, text: String(value.yaml) } };
  const text = String(value);
  return isReference(text) ? { args: [`@${name}`], file: { name, text } } : { args: [text] };
}

/** Returns `NAME=VALUE` for each entry. Values are JSON, except texts that are none. */
const assignments = (values: object): readonly string[] =>
  Object.entries(values).map(
    ([name, value]) => `${name}=${typeof value === 'string' && !isJson(value) ? value : JSON.stringify(value)}`,
  );

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
