/** Result of a check of the environment, and its cure. */
export interface Finding {
  /** `bad`: it will not work; `weak`: it works, with less than one may expect. */
  readonly level: 'good' | 'weak' | 'bad';
  /** Subject in one or two words. */
  readonly subject: string;
  readonly message: string;
  readonly cure?: string;
}
