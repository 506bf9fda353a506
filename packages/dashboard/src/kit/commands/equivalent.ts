/** An action of the dashboard as its users could do it elsewhere. */
export interface Equivalent {
  /** Words of the command after `millrace`; they are quoted where a shell needs it. */
  readonly command: readonly string[];
  readonly request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** Path on the server, such as `/v1/runs`. */
    readonly path: string;
    readonly body?: unknown;
  };
}

/** Returns the command line of an action. */
export const cliOf = ({ command }: Equivalent): string => ['millrace', ...command].map(quoted).join(' ');

/** Returns the request of an action as a command of curl. `origin`: the server; default: the one of this page. */
export function curlOf({ request }: Equivalent, origin: string = location.origin): string {
  const { method, path, body } = request;
  const sent = body === undefined ? [] : ['--json', JSON.stringify(body)];
  // curl sends a body as POST by itself.
  const isImplied = body === undefined ? method === 'GET' : method === 'POST';
  const how = isImplied ? [] : ['-X', method];
  return ['curl', ...how, `${origin}${path}`, ...sent].map(quoted).join(' ');
}

/** Returns a word so that a POSIX shell takes it as it is. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
