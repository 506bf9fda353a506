import { expect, it } from 'vitest';
import { browserOpener, openInBrowser } from './open.ts';

it('returns the program of each platform, and none without a display', () => {
  expect(browserOpener('darwin', {})).toEqual(['open']);
  expect(browserOpener('win32', {})).toEqual(['rundll32', 'url.dll,FileProtocolHandler']);
  expect(browserOpener('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open']);
  expect(browserOpener('linux', { DISPLAY: ':0' })).toEqual(['xdg-open']);
  expect(browserOpener('linux', { DISPLAY: '' })).toBeUndefined();
});

it('returns false for a program that does not exist', async () => {
  expect(await openInBrowser(['no-such-program-of-millrace'], 'http://127.0.0.1:1/')).toBe(false);
});
