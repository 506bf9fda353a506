import { Link } from '@tanstack/react-router';
import { Screen } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import cards from '../../kit/tables/cards.module.css';
import { Status } from '../../kit/values/status.tsx';
import { Age } from '../../kit/values/time.tsx';
import { bulkWords } from './bulk-action.ts';
import { OrderBar, OrderSubject } from './order-bar.tsx';
import { useOrders } from './use-order.ts';

/** The orders to many runs of the last week, newest first. */
export function BulkListScreen() {
  const { data, error, hasNextPage, fetchNextPage, refetch } = useOrders();
  const orders = data?.pages.flatMap((page) => page.data);
  return (
    <Screen title="Bulk orders">
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {orders === undefined && error === null && <Skeleton rows={4} rowHeight={52} />}
      {orders?.length === 0 && (
        <Empty title="No order was given to many runs in the last week.">
          <p>Select runs in their list to cancel or retry them together.</p>
          <code>millrace bulk retry --workflow NAME --since 24h</code>
          <Link to="/runs" className="button">
            Go to the runs
          </Link>
        </Empty>
      )}
      {orders !== undefined && orders.length > 0 && (
        <ul className={`${cards['cards']} panel`} aria-label="Bulk orders">
          {orders.map((order) => (
            <li key={order.id} className={`${cards['card']} stack`}>
              <span className={cards['main']}>
                <Link to="/bulk/$order" params={{ order: order.id }} className={`${cards['link']} strong`}>
                  {bulkWords[order.action].verb}
                </Link>
                <small className={cards['above']}>
                  <OrderSubject order={order} />
                </small>
              </span>
              <OrderBar order={order} />
              <Status of={order.status} />
              <span className={cards['side']}>
                <Age at={order.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load more orders
        </button>
      )}
    </Screen>
  );
}
