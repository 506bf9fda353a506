import { Link } from '@tanstack/react-router';

interface ToldProps {
  readonly text: string;
  /** Run that an action has started. */
  readonly run?: string;
}

/** Result of an action, with a link. */
export const ActionResult = ({ text, run }: ToldProps) => (
  <span role="status">
    {text}{' '}
    {run !== undefined && (
      <Link to="/runs/$run" params={{ run }}>
        {run}
      </Link>
    )}
  </span>
);
