import type { ActivationDetail } from '@millrace/client';
import { formatCount, formatDuration, formatMoney } from '../../kit/values/format.ts';
import classes from './activation-view.module.css';

/** Calls of models, tools and programs by an activation, with their tokens, cost and time. */
export function ActivationCalls({ calls }: { readonly calls: ActivationDetail['calls'] }) {
  if (calls.length === 0) return null;
  return (
    <section aria-label="Calls">
      <h3>Calls</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the drawer is scrolled with the keyboard */}
      <section className={classes['wide']} aria-label="Table of calls" tabIndex={0}>
        <table className={classes['calls']}>
          <thead>
            <tr>
              {['Call', 'In', 'Cached', 'Out', 'Cost', 'Time'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {calls.map((call) => (
              <Call key={call.step} call={call} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Call({ call }: { readonly call: ActivationDetail['calls'][number] }) {
  const { name, startedAt, completedAt, usage, failed } = call;
  const cost = usage === undefined ? '–' : usage.microUsd === undefined ? 'no price' : formatMoney(usage.microUsd);
  return (
    <tr>
      <th scope="row">
        {name}
        {failed && <em> failed</em>}
      </th>
      <td>{usage === undefined ? '–' : formatCount(usage.promptTokens)}</td>
      <td>{usage?.cachedTokens === undefined ? '–' : formatCount(usage.cachedTokens)}</td>
      <td>{usage === undefined ? '–' : formatCount(usage.completionTokens)}</td>
      <td>{cost}</td>
      <td>{completedAt === undefined ? 'under way' : formatDuration(completedAt - startedAt)}</td>
    </tr>
  );
}
