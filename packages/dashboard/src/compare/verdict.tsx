import classes from './compare.module.css';
import type { Verdict as VerdictName } from './pairs.ts';

const looks = {
  same: ['=', 'quiet'],
  changed: ['≠', 'waiting'],
  'only A': ['‹', 'terminated'],
  'only B': ['›', 'running'],
} as const satisfies Readonly<Record<VerdictName, readonly [sign: string, tone: string]>>;

/** Difference of a pair, as a sign and in words, so that it does not depend on colour alone. */
export const Verdict = ({ of }: { readonly of: VerdictName }) => (
  <span className={`${classes['verdict']} inline pill tinted small strong nowrap`} data-tone={looks[of][1]}>
    <b aria-hidden>{looks[of][0]}</b> {of}
  </span>
);
