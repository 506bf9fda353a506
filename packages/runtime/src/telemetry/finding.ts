/** Result of a check of the environment, and its cure. */
export interface Finding {
  /** `bad`: Millrace will not work; `weak`: it works, with restrictions. */
  readonly level: 'good' | 'weak' | 'bad';
  /** Subject in one or two words. */
  readonly subject: string;
  readonly message: string;
  readonly cure?: string;
}
