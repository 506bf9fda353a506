import type { Extensions } from '@millrace/catalog';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Installation } from '../redis/redis.ts';
import { openInstallation } from '../redis/redis.ts';
import type { Stage } from './stage.ts';
import { openStage } from './stage.ts';

/** Defines the same tests twice: with runs kept in memory, and with runs kept in a Redis. */
export function onBothStores(title: string, define: (stage: () => Stage) => void, extensions: Extensions = {}): void {
  const within = (name: string, open: () => Promise<Stage>) =>
    describe(`${title}, runs kept in ${name}`, () => {
      let stage: Stage;
      beforeAll(async () => {
        stage = await open();
      });
      afterAll(() => stage.close());
      define(() => stage);
    });
  within('memory', () => openStage({ where: { local: true }, extensions }));
  describe('with a Redis', () => {
    let installation: Installation;
    beforeAll(async () => {
      installation = await openInstallation();
    });
    afterAll(() => installation.stop());
    within('Redis', () =>
      openStage({ where: { redisUrl: installation.url, prefix: installation.prefix }, extensions }),
    );
  });
}
