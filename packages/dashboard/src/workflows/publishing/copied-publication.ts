import type { OperationCopy } from '../../kit/commands/copy-of.ts';
import { copyOf } from '../../kit/commands/copy-of.ts';

interface Publication {
  readonly name: string;
  readonly yaml: string;
  readonly note: string | undefined;
  /** Hash of the version that it replaces; null: the name must be new. */
  readonly base: string | null;
}

/** Returns a publication as a command and as a request, for copying. */
export const copiedPublication = ({ name, yaml, note, base }: Publication): OperationCopy =>
  copyOf('workflows.publish', {
    name,
    ...(base === null ? { 'if-none-match': '*' } : { 'if-match': `"${base}"` }),
    yaml,
    ...(note === undefined ? {} : { note }),
  });
