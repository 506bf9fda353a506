import type { Equivalent } from '../../kit/commands/equivalent.ts';

interface Publication {
  readonly name: string;
  readonly yaml: string;
  readonly note: string | undefined;
  /** Hash of the version that it replaces; null: the name must be new. */
  readonly base: string | null;
}

/** Returns a publication in the form in which it is copied. */
export const copiedPublication = ({ name, yaml, note, base }: Publication): Equivalent => ({
  command: ['workflows', 'push', '/dev/stdin', '--name', name, ...(note === undefined ? [] : ['--note', note])],
  stdin: yaml,
  request: {
    method: 'PUT',
    path: `/v1/workflows/${name}`,
    headers: base === null ? { 'if-none-match': '*' } : { 'if-match': `"${base}"` },
    body: { yaml, ...(note === undefined ? {} : { note }) },
  },
});
