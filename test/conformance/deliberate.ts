import { readFileSync } from 'node:fs';

/** A case in which Millrace does something else on purpose. */
export interface Deliberate {
  readonly case: string;
  /** The rule that the difference follows from. */
  readonly rule: string;
  /** Description of the difference in this case, and the reason why it is right. */
  readonly reason: string;
}

/** The checked-in list; it holds exactly the cases that differ. */
export function deliberateDifferences(): readonly Deliberate[] {
  // Our own file; the runner notices entries that name no case or do not differ.
  return JSON.parse(readFileSync(new URL('deliberate.json', import.meta.url), 'utf8')) as Deliberate[];
}
