/** Refusal of a command that does not apply; the run is unchanged. */
export interface Refusal {
  readonly type: 'refused';
  readonly code: string;
  readonly message: string;
}

/** Returns the refusal of a command. */
export const refuse = (code: string, message: string): Refusal => ({ type: 'refused', code, message });
