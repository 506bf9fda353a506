import { Link } from '@tanstack/react-router';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty } from '../kit/states/empty.tsx';

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
