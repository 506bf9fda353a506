import { useCaller } from '../api/use-caller.ts';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { licences } from './licences.ts';
import classes from './settings.module.css';

/** Versions, the caller, and the licences of the dependencies of the dashboard. */
export function About() {
  const { data: me, error, refetch } = useCaller();
  if (me === undefined)
    return error === null ? <Skeleton rows={4} /> : <Problem error={error} retry={() => void refetch()} />;
  return (
    <div className={classes['settings']}>
      <section aria-labelledby="about">
        <h2 id="about">About</h2>
        <dl>
          <dt>Server</dt>
          <dd>Millrace {me.server.version}</dd>
          <dt>Workers</dt>
          <dd>{me.server.workers}</dd>
          <dt>Tenant</dt>
          <dd>{me.tenant}</dd>
          <dt>Caller</dt>
          <dd>{me.open ? 'anybody on this machine' : me.name}</dd>
          <dt>Scopes</dt>
          <dd>{me.scopes.join(', ')}</dd>
          <dt>Browser</dt>
          <dd>{navigator.userAgent}</dd>
        </dl>
      </section>
      <section aria-labelledby="licences">
        <h2 id="licences">Licences</h2>
        <p>Millrace is under the Apache License 2.0. The dashboard contains:</p>
        <dl className={classes['licences']}>
          {licences.map(([name, licence]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{licence}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
