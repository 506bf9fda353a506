/** A command that no longer applies, or never did; the run is as it was. */
export interface Refusal {
  readonly type: 'refused';
  readonly code: string;
  readonly message: string;
}

/** Refuses a command. */
export const refuse = (code: string, message: string): Refusal => ({ type: 'refused', code, message });
