import classes from './compare.module.css';
import type { Verdict as VerdictName } from './pairs.ts';

const signs: Readonly<Record<VerdictName, string>> = { same: '=', changed: '≠', 'only A': '‹', 'only B': '›' };

/** Difference of a pair, as a sign and in words, so that it does not depend on colour alone. */
export const Verdict = ({ of }: { readonly of: VerdictName }) => (
  <span className={`${classes['verdict']} small strong nowrap`} data-verdict={of}>
    <b aria-hidden>{signs[of]}</b> {of}
  </span>
);
