import { formatMoment } from '../kit/values/format.ts';
import type { Approval } from './approval.ts';
import { readableJson } from './approval.ts';
import classes from './questions.module.css';

/** The exact call that a person is asked about, and the rule that asks. */
export function AskedCall({ approval }: { readonly approval: Approval }) {
  const { tool, server, arguments: written, rule, expiresAt } = approval;
  return (
    <section className={classes['input']} aria-label="Call">
      <header className="row wrap">
        <b>
          <code>{tool}</code>
        </b>
        <span className="muted">{server === undefined ? 'a function of the installation' : <bdi>{server}</bdi>}</span>
      </header>
      <div className="stack">
        <pre dir="ltr">{readableJson(written)}</pre>
        <p className="muted">
          Asked because of the rule <code>{rule}</code>
          {expiresAt !== undefined && ` · counts as rejected at ${formatMoment(expiresAt)}`}
        </p>
      </div>
    </section>
  );
}
