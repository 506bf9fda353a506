import { Link, useParams } from '@tanstack/react-router';
import { Screen } from '../../kit/layout/screen.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCount } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';
import { Age, Duration } from '../../kit/values/time.tsx';
import { bulkWords } from './bulk-action.ts';
import classes from './bulk-screen.module.css';
import { OrderBar, OrderSubject } from './order-bar.tsx';
import { useOrder } from './use-order.ts';

/** Progress of an order to many runs. */
export function BulkScreen() {
  const { order } = useParams({ from: '/bulk/$order' });
  const { data, error, refetch } = useOrder(order);
  const verb = data === undefined ? 'Bulk' : bulkWords[data.action].verb;
  return (
    <Screen
      title={`${verb} order`}
      actions={
        <Link to="/bulk" className="button">
          All bulk orders
        </Link>
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data !== undefined && (
        <dl className={`${classes['facts']} panel stack`} aria-live="polite">
          <dt>Order</dt>
          <dd>
            <code>{data.id}</code>, given <Age at={data.createdAt} />
          </dd>
          <dt>For</dt>
          <dd>
            <OrderSubject order={data} />
            {data.reason !== undefined && <>, because: {data.reason}</>}
          </dd>
          <dt>State</dt>
          <dd>
            <Status of={data.status} /> <Duration from={data.createdAt} to={data.finishedAt} />
          </dd>
          <dt>Progress</dt>
          <dd>
            <OrderBar order={data} />
          </dd>
          <dt>{bulkWords[data.action].past}</dt>
          <dd>{formatCount(data.done)} runs</dd>
          <dt>Left as they were</dt>
          <dd>{formatCount(data.left)} runs, which had ended meanwhile</dd>
        </dl>
      )}
    </Screen>
  );
}
