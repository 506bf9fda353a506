import type { ActivationDetail } from '@millrace/client';
import { exactText } from '@millrace/core/visible-text';
import { ExactJson, ExactJsonDiff } from '../../kit/text/exact-json.tsx';
import { formatInstant, formatMoment } from '../../kit/values/format.ts';
import classes from './activation-calls.module.css';

type Approval = NonNullable<ActivationDetail['approvals']>[number];

/** Calls of tools that people were asked about: what was asked, who decided, and what was really sent. */
export function ActivationApprovals({ approvals = [] }: { readonly approvals: ActivationDetail['approvals'] }) {
  if (approvals.length === 0) return null;
  return (
    <section className="stack" aria-label="Approvals">
      <h3>Approvals</h3>
      {approvals.map((approval) => (
        <Decided key={approval.place} approval={approval} />
      ))}
    </section>
  );
}

const tones = { approve: 'completed', reject: 'failed', expire: 'failed' } as const;

function Decided({ approval }: { readonly approval: Approval }) {
  const { tool, server, arguments: written, rule, decision, reason, sent } = approval;
  return (
    <figure
      className={`${classes['said']} note stack`}
      data-tone={decision === undefined ? 'waiting' : tones[decision]}
    >
      <figcaption>
        <strong>
          <code>{exactText(tool)}</code>
        </strong>{' '}
        {server !== undefined && <bdi className="muted">{exactText(server)}</bdi>} {decisionText(approval)}
      </figcaption>
      {sent === undefined ? (
        <ExactJson text={written} />
      ) : (
        <>
          <p className="muted small">What was sent, compared with what the model asked for:</p>
          <ExactJsonDiff before={written} after={sent} />
        </>
      )}
      {reason !== undefined && <p dir="auto">“{reason}”</p>}
      <p className="muted small">
        Rule <code>{exactText(rule)}</code>
      </p>
    </figure>
  );
}

/** Returns a decision in words: what, by whom, and when. */
function decisionText({ decision, by = 'someone', decidedAt, sent, step, until }: Approval): string {
  const at = decidedAt === undefined ? '' : ` at ${formatInstant(decidedAt)}`;
  switch (decision) {
    case undefined:
      return until === undefined ? 'waits for a decision' : `waits for a decision until ${formatMoment(until)}`;
    case 'expire':
      return `was not decided on in time, and counts as rejected${at}`;
    case 'reject':
      return `rejected by ${by}${at}`;
    case 'approve':
      return `approved by ${by}${at}${sent === undefined ? '' : ' with changes'}${step === undefined ? '' : ', and made'}`;
  }
}

/** Returns the decisions on the calls of an activation in a few words, for one line. */
export const decisionsLabel = (approvals: ActivationDetail['approvals'] = []): string =>
  approvals
    .map(({ tool: called, decision, by, sent }) => {
      const tool = exactText(called);
      const person = by === undefined ? '' : ` by ${by}`;
      if (decision === undefined) return `${tool} waits for approval`;
      if (decision === 'expire') return `${tool} expired`;
      return `${tool} ${decision === 'approve' ? 'approved' : 'rejected'}${sent === undefined ? '' : ' with changes'}${person}`;
    })
    .join(', ');
