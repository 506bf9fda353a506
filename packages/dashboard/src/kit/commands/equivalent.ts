/** An action of the dashboard as its users could do it elsewhere. */
export interface Equivalent {
  /**
   * Words of the command after `millrace`, or those of several commands; they are quoted where a shell needs it. Absent: no
   * command does the same.
   */
  readonly command?: readonly string[] | readonly (readonly string[])[];
  /** Text that the command reads from standard input. */
  readonly stdin?: string;
  /** File that the command reads, which is written first. */
  readonly file?: { readonly name: string; readonly text: string };
  readonly request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** Path on the server, such as `/v1/runs`. */
    readonly path: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    /** Fields of a form instead of a body; `@NAME` is a file. */
    readonly form?: Readonly<Record<string, string>>;
  };
}

/** Returns the command line of an action; undefined when no command does the same. */
export function cliOf({ command, stdin, file }: Equivalent): string | undefined {
  if (command === undefined) return undefined;
  const commands = command.every((word) => typeof word === 'string') ? [command] : command.filter(isCommand);
  const lines = commands.map((words) => ['millrace', ...words].map(quoted).join(' '));
  const written = file === undefined ? '' : `printf %s ${quoted(file.text)} > ${quoted(file.name)}\n`;
  const piped = stdin === undefined ? '' : `printf %s ${quoted(stdin)} | `;
  return `${written}${piped}${lines.join('\n')}`;
}

const isCommand = (part: string | readonly string[]): part is readonly string[] => typeof part !== 'string';

/** Address of a server; `isOpen`: it requires no key. */
interface Server {
  readonly origin: string;
  readonly isOpen?: boolean;
}

/** Returns the request of an action as a command of curl, which takes the key from the environment. */
export function curlOf({ request }: Equivalent, { origin, isOpen = true }: Server): string {
  const { method, path, body, headers = {}, form = {} } = request;
  const fields = Object.entries(form).flatMap(([name, value]) => ['-F', `${name}=${value}`]);
  const sent = body === undefined ? fields : ['--json', JSON.stringify(body)];
  // curl sends a body as POST by default.
  const isImplied = sent.length === 0 ? method === 'GET' : method === 'POST';
  const how = isImplied ? [] : ['-X', method];
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const key = isOpen ? '' : ' -H "Authorization: Bearer $MILLRACE_API_KEY"';
  return ['curl', ...how, `${origin}${path}`, ...named, ...sent].map(quoted).join(' ') + key;
}

/** Quotes a word for a POSIX shell. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
