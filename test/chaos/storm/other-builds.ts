import { storedFormat } from '../../../packages/runtime/src/store/format.ts';
import { buildOfCommit, buildWithFormat, uncheckedCommit } from '../../support/processes/build.ts';

/** Programs of other versions, as far as they could be built. */
export interface OtherBuilds {
  /** Of the last commit that did not check formats. */
  readonly earlier?: string;
  /** The present build, but for storing runs in a later format. */
  readonly later?: string;
  /** Reason why a build is missing. */
  readonly leftOut?: string;
}

/** Format of the later version. */
export const laterFormat = storedFormat + 1;

/** Builds them, which takes about ten seconds for the first time. */
export async function makeOtherBuilds(): Promise<OtherBuilds> {
  const later = await buildWithFormat(laterFormat);
  try {
    return { earlier: await buildOfCommit(uncheckedCommit), later };
  } catch (error) {
    return { later, leftOut: `earlierVersion: ${error instanceof Error ? error.message : String(error)}` };
  }
}
