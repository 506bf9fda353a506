import { useState } from 'react';
import { useCaller } from '../api/use-caller.ts';
import type { Theme } from '../frame/appearance/theme.ts';
import { preferredTheme, preferTheme } from '../frame/appearance/theme.ts';
import { Screen } from '../kit/layout/screen.tsx';
import { switchLetters, useLetters } from '../kit/shortcuts/letters.ts';
import classes from './settings-screen.module.css';

const themes = [
  ['system', 'Like the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const satisfies readonly (readonly [Theme, string])[];

/** Settings of this browser, and facts about the server and the caller. */
export function SettingsScreen() {
  const areLettersOn = useLetters();
  return (
    <Screen title="Settings">
      <div className={classes['settings']}>
        <Appearance />
        <section aria-labelledby="keyboard">
          <h2 id="keyboard">Keyboard</h2>
          <label>
            <input type="checkbox" checked={areLettersOn} onChange={({ target }) => switchLetters(target.checked)} />
            Single letters are shortcuts
          </label>
          <p>Switch this off if you dictate, or press letters by accident. Shortcuts with ⌘ or Ctrl go on working.</p>
        </section>
        <About />
      </div>
    </Screen>
  );
}

function Appearance() {
  const [theme, setTheme] = useState(preferredTheme);
  return (
    <section aria-labelledby="appearance">
      <h2 id="appearance">Appearance</h2>
      <div role="radiogroup" aria-labelledby="appearance">
        {themes.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              checked={theme === value}
              onChange={() => {
                preferTheme(value);
                setTheme(value);
              }}
            />
            {label}
          </label>
        ))}
      </div>
    </section>
  );
}

function About() {
  const { data: me } = useCaller();
  if (me === undefined) return null;
  return (
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
      </dl>
    </section>
  );
}
