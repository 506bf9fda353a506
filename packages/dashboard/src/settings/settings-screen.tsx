import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useStore } from '../api/store.ts';
import { useCaller } from '../api/use-caller.ts';
import { useIsThere } from '../api/use-storage.ts';
import type { Theme } from '../frame/theme.ts';
import { preferredTheme, preferTheme } from '../frame/theme.ts';
import { preferTimeZone, shownTimeZone } from '../frame/time-zone.ts';
import { Field } from '../kit/controls/field.tsx';
import { TabLinks } from '../kit/controls/tab-links.tsx';
import type { Density } from '../kit/layout/density.ts';
import { listDensity, preferDensity } from '../kit/layout/density.ts';
import { Screen } from '../kit/layout/screen.tsx';
import { switchLetters, useLetters } from '../kit/shortcuts/shortcuts.ts';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { KeyList } from './key-list.tsx';
import classes from './settings.module.css';

const tabs = [
  { part: 'appearance', label: 'Appearance' },
  { part: 'keys', label: 'Keys' },
  { part: 'about', label: 'About' },
] as const;

/** Settings of this browser, the API keys of the tenant, and facts about the server. */
export function SettingsScreen() {
  const { part } = useParams({ from: '/settings/$part' });
  const isThere = useIsThere();
  return (
    <Screen title="Settings">
      <TabLinks
        label="Parts of the settings"
        to="/settings/$part"
        tabs={tabs.filter((tab) => isThere(`/settings/${tab.part}`))}
      />
      {part === 'appearance' && <Appearance />}
      {part === 'keys' && <KeyList />}
      {part === 'about' && <About />}
      {!tabs.some((tab) => tab.part === part) && <Empty title="There is no such part." />}
    </Screen>
  );
}

/** Versions, the caller, and the licences of the dependencies of the dashboard. */
function About() {
  const { data: me, error, refetch } = useCaller();
  if (me === undefined)
    return error === null ? <Skeleton rows={4} /> : <Problem error={error} retry={() => void refetch()} />;
  return (
    <div className={`${classes['settings']} stack`}>
      <section className="panel stack" aria-labelledby="about">
        <h2 id="about">About</h2>
        <dl>
          <dt>Server</dt>
          <dd>Millrace {me.server.version}</dd>
          <dt>Workers</dt>
          <dd>{me.server.workers}</dd>
          <dt>Runs</dt>
          <dd>{me.server.storage === 'memory' ? 'in the memory of the server; they end with it' : 'in Redis'}</dd>
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
      <section className="panel stack" aria-labelledby="licences">
        <h2 id="licences">Licences</h2>
        <p className="muted">Millrace is under the Apache License 2.0. The dashboard contains:</p>
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

const themes = [
  ['system', 'Same as the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const satisfies readonly (readonly [Theme, string])[];

const densities = [
  ['compact', 'One line'],
  ['comfortable', 'Two lines'],
] as const satisfies readonly (readonly [Density, string])[];

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** Settings of this browser. */
function Appearance() {
  const areLettersOn = useLetters();
  const [theme, setTheme] = useState(preferredTheme);
  const density = useStore(listDensity);
  const zone = useStore(shownTimeZone);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className={`${classes['settings']} stack`}>
      <Choice
        title="Appearance"
        name="theme"
        options={themes}
        value={theme}
        choose={(value) => {
          preferTheme(value);
          setTheme(value);
        }}
      />
      <Choice title="Rows of runs" name="density" options={densities} value={density} choose={preferDensity} />
      <section className="panel stack" aria-labelledby="times">
        <h2 id="times">Times</h2>
        <Field label="Time zone">
          {(ids) => (
            <select
              {...ids}
              value={zone ?? ''}
              onChange={({ target }) => preferTimeZone(target.value === '' ? undefined : target.value)}
            >
              <option value="">Same as this machine, {own}</option>
              {zones.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      </section>
      <section className="panel stack" aria-labelledby="keyboard">
        <h2 id="keyboard">Keyboard</h2>
        <label className="row">
          <input type="checkbox" checked={areLettersOn} onChange={({ target }) => switchLetters(target.checked)} />
          Single letters are shortcuts
        </label>
        <p className="muted">
          Switch this off if you dictate, or press letters by accident. Shortcuts with ⌘ or Ctrl continue working.
        </p>
      </section>
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly title: string;
  readonly name: string;
  readonly options: readonly (readonly [Value, string])[];
  readonly value: Value;
  readonly choose: (value: Value) => void;
}

/** A section with a choice of one among a few values. */
const Choice = <Value extends string>({ title, name, options, value, choose }: ChoiceProps<Value>) => (
  <section className="panel stack" aria-labelledby={name}>
    <h2 id={name}>{title}</h2>
    <div role="radiogroup" aria-labelledby={name}>
      {options.map(([one, label]) => (
        <label key={one} className="row">
          <input type="radio" name={name} checked={value === one} onChange={() => choose(one)} />
          {label}
        </label>
      ))}
    </div>
  </section>
);

declare const __LICENCES__: readonly (readonly [name: string, licence: string])[];

/** The packages that the dashboard contains with their versions, and their licences; the build puts them here. */
const licences = __LICENCES__;
