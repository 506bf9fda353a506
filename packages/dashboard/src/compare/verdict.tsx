import classes from './compare.module.css';
import type { Verdict as VerdictName } from './pairs.ts';

const signs: Readonly<Record<VerdictName, string>> = { same: '=', changed: '≠', 'only A': '‹', 'only B': '›' };

/** How a pair compares, as a sign and in words, so that colour never stands alone. */
export const Verdict = ({ of }: { readonly of: VerdictName }) => (
  <span className={classes['verdict']} data-verdict={of}>
    <b aria-hidden>{signs[of]}</b> {of}
  </span>
);
