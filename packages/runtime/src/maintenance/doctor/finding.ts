/** What was found out about the surroundings of Millrace, in a sentence, and what to do about it. */
export interface Finding {
  /** `bad`: it will not work; `weak`: it works, with less than one may expect. */
  readonly level: 'good' | 'weak' | 'bad';
  /** What it is about, in one or two words. */
  readonly subject: string;
  readonly message: string;
  readonly cure?: string;
}
