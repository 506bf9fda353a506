import { Problem } from '../kit/states/problem.tsx';

/** A part of the page whose code could not be loaded, or that has failed: the server is away, or has another version by now. */
export const NotLoaded = ({ error }: { readonly error: unknown }) => (
  <Problem error={error} retry={() => location.reload()} />
);
