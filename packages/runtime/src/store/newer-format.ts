import type { RunId } from '@millrace/core';
import { RequestError, withoutTenant } from '@millrace/core';
import { storedFormat } from './format.ts';

/** Thrown for a run that is stored in a later format than this build knows. The run is left as it is. */
export class NewerFormat extends RequestError {
  readonly run: RunId;
  readonly format: number;
  constructor(run: RunId, format: number) {
    super(
      'FORMAT_NEWER',
      `The run ${withoutTenant(run)} is stored in format ${format}, and this process knows formats up to ${storedFormat}. Ask a process of the newer version, or upgrade this one.`,
    );
    this.run = run;
    this.format = format;
  }
}
