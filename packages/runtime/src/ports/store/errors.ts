import type { MessageId, RunId } from '@millrace/core';
import { RequestError, withoutTenant } from '@millrace/core';

/** Returns the refusal to follow a run that no longer exists. */
export const runGone = (): RequestError =>
  new RequestError('RUN_UNKNOWN', 'The run no longer exists: it was removed, or the store has lost its data.');

/** A message of a run is not stored: the state of the run that the process has is out of date, or the run is broken. */
export class BodyMissing extends Error {
  constructor(run: RunId, id: MessageId | undefined) {
    super(`Run ${run} has no message ${id}.`);
    this.name = 'BodyMissing';
  }
}

/** A run is stored in another format than this build knows. The run is left unchanged. */
export class ForeignFormat extends RequestError {
  readonly run: RunId;
  readonly format: number;
  constructor(run: RunId, { stored, known }: { readonly stored: number; readonly known: number }) {
    const id = withoutTenant(run);
    if (stored > known)
      super(
        'FORMAT_NEWER',
        `The run ${id} is stored in format ${stored}, and this process knows format ${known}. Ask a process of the newer version, or upgrade this one.`,
      );
    else super('FORMAT_OLDER', `The run ${id} was ${writtenBefore}`);
    this.run = run;
    this.format = stored;
  }
}

/** End of the sentence that refuses data of development builds. */
export const writtenBefore =
  'written before 0.1.0: start with an empty directory (MILLRACE_DIR) or another prefix (MILLRACE_PREFIX).';

/** Throws ForeignFormat unless a run is stored in the format that this process knows. The first builds stored none. */
export function assertFormat(
  run: RunId,
  { stored, known }: { readonly stored: string | null | undefined; readonly known: number },
): void {
  const format = Number(stored ?? 1);
  if (format !== known) throw new ForeignFormat(run, { stored: format, known });
}
