import { Link } from '@tanstack/react-router';
import { Empty } from '../kit/empty.tsx';
import { Screen } from './screen.tsx';

/** The screen of an address that leads nowhere. */
export function NotFound() {
  return (
    <Screen title="Not found">
      <Empty title="There is no such screen.">
        <Link to="/runs">Go to the runs</Link>
      </Empty>
    </Screen>
  );
}
