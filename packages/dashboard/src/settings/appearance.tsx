import { useState } from 'react';
import type { Theme } from '../frame/appearance/theme.ts';
import { preferredTheme, preferTheme } from '../frame/appearance/theme.ts';
import { switchLetters, useLetters } from '../kit/shortcuts/letters.ts';
import classes from './settings.module.css';

const themes = [
  ['system', 'Like the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const satisfies readonly (readonly [Theme, string])[];

/** Settings of this browser. */
export function Appearance() {
  const areLettersOn = useLetters();
  const [theme, setTheme] = useState(preferredTheme);
  return (
    <div className={classes['settings']}>
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
      <section aria-labelledby="keyboard">
        <h2 id="keyboard">Keyboard</h2>
        <label>
          <input type="checkbox" checked={areLettersOn} onChange={({ target }) => switchLetters(target.checked)} />
          Single letters are shortcuts
        </label>
        <p>Switch this off if you dictate, or press letters by accident. Shortcuts with ⌘ or Ctrl continue working.</p>
      </section>
    </div>
  );
}
