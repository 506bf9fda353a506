import { exactText } from '@millrace/core/visible-text';
import { ExactJson } from '../kit/text/exact-json.tsx';
import { formatMoment } from '../kit/values/format.ts';
import type { Approval } from './approval.ts';
import classes from './questions.module.css';

/** The exact call that a person is asked about, and the rule that asks. */
export function AskedCall({ approval }: { readonly approval: Approval }) {
  const { tool, server, arguments: written, rule, expiresAt } = approval;
  return (
    <section className={classes['input']} aria-label="Call">
      <header className="row wrap">
        <b>
          <code>{exactText(tool)}</code>
        </b>
        <span className="muted">
          {server === undefined ? 'a function of the installation' : <bdi>{exactText(server)}</bdi>}
        </span>
      </header>
      <div className="stack">
        <ExactJson text={written} />
        <p className="muted">
          Asked because of the rule <code>{exactText(rule)}</code>
          {expiresAt !== undefined && ` · counts as rejected at ${formatMoment(expiresAt)}`}
        </p>
      </div>
    </section>
  );
}
