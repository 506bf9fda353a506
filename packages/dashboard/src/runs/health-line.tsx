import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { millrace } from '../api/millrace.ts';
import { useCaller } from '../api/use-caller.ts';

/** Interval after which the line is loaded again, in milliseconds. */
const everyMs = 15_000;

const tones = { good: 'quiet', weak: 'waiting', bad: 'failed' } as const;

/** The state of the installation in one line, for operators; it leads to what it is made of. */
export function HealthLine() {
  const { data: me } = useCaller();
  const isOperator = me?.operator === true;
  const { data } = useQuery({
    queryKey: ['operations'],
    queryFn: ({ signal }) => millrace.operations.read({ signal }),
    refetchInterval: everyMs,
    enabled: isOperator,
  });
  if (!isOperator) return null;
  // The list below stays where it is when the line comes.
  if (data === undefined) return <p className="spaced small">{'\u00a0'}</p>;
  const { level, line } = data.health;
  return (
    <p className="spaced small">
      <Link to="/operations" className={level === 'good' ? 'muted' : 'ink'} data-tone={tones[level]}>
        {line}
      </Link>
    </p>
  );
}
