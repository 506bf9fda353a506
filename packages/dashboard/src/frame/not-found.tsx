import { Link } from '@tanstack/react-router';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';

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

/** A part of the page whose code could not be loaded, or that has failed: the server is away, or has another version by now. */
export const NotLoaded = ({ error }: { readonly error: unknown }) => (
  <Problem error={error} retry={() => location.reload()} />
);
