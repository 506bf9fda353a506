import type { Extensions } from '@millrace/catalog';
import { describe } from 'vitest';
import { openBeforeAll } from '../fixtures.ts';
import { bothPlaces } from '../redis/installation.ts';
import type { Stage } from './stage.ts';
import { openStage } from './stage.ts';

/** Defines the same tests twice: with runs kept in memory, and with runs kept in a Redis. */
export function onBothStores(title: string, define: (stage: Stage) => void, extensions: Extensions = {}): void {
  describe.each(bothPlaces())(`${title}, runs kept in %s`, (_, where) => {
    define(openBeforeAll(() => openStage({ where, extensions })));
  });
}
