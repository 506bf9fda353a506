import { createHash } from 'node:crypto';
import type { Blobs } from '@millrace/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Two processes on the same contents. An adapter that cannot be shared gives the same blobs twice. */
export interface BlobsFixture {
  readonly blobs: Blobs;
  readonly other: Blobs;
  close(): Promise<void>;
}

const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at % 256);
const digestOf = (contents: Uint8Array) => createHash('sha256').update(contents).digest('hex');
const digest = digestOf(bytes);
const beginning = Buffer.from('the beginning of something');
const none = '0'.repeat(64);

async function* inPieces(all: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < all.length; at += 100_000) yield all.subarray(at, at + 100_000);
}

async function* brokenOff(): AsyncGenerator<Uint8Array> {
  yield beginning;
  throw new Error('the line is dead');
}

async function together(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read);
}

/** Defines the contract tests that every implementation of blobs must pass. */
export function blobsContract(name: string, open: () => Promise<BlobsFixture>): void {
  describe(`the contract of blobs: ${name}`, () => {
    let fixture: BlobsFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.close());

    it('names contents by their SHA-256 and returns them to every process', async () => {
      expect(await fixture.blobs.put(bytes)).toBe(digest);
      expect(Uint8Array.from((await fixture.other.get(digest)) ?? [])).toEqual(bytes);
      expect(await fixture.other.has(digest)).toBe(true);
      expect(await fixture.other.size(digest)).toBe(bytes.length);
    });

    it('stores contents once that are put twice, or by several processes at once', async () => {
      const all = await Promise.all([1, 2, 3, 4].map((n) => (n % 2 ? fixture.blobs : fixture.other).put(bytes)));

      expect(new Set(all)).toEqual(new Set([digest]));
      expect(await fixture.blobs.get(digest)).toHaveLength(bytes.length);
    });

    it('stores empty contents', async () => {
      const empty = await fixture.blobs.put(new Uint8Array());

      expect(await fixture.other.get(empty)).toHaveLength(0);
      expect([await fixture.other.has(empty), await fixture.other.size(empty)]).toEqual([true, 0]);
    });

    it('stores megabytes', async () => {
      const large = Buffer.alloc(5 * 1024 * 1024, 'millrace');

      expect((await fixture.other.get(await fixture.blobs.put(large)))?.length).toBe(large.length);
    });

    it('stores contents that arrive in parts, and returns ranges of them', async () => {
      const all = Buffer.alloc(3 * 1024 * 1024, 'millrace ');
      const kept = await fixture.blobs.putPieces(inPieces(all));

      expect(kept).toEqual({ digest: await fixture.other.put(all), size: all.length });
      expect((await fixture.other.get(kept.digest))?.length).toBe(all.length);
      expect(all.equals(await together(fixture.other.read(kept.digest, 0, all.length)))).toBe(true);
      expect(await together(fixture.other.read(kept.digest, 9, 18))).toEqual(Buffer.from('millrace '));
      expect(await together(fixture.other.read(kept.digest, 5, 5))).toHaveLength(0);
    });

    it('stores no contents of a broken upload', async () => {
      const { digest: empty, size } = await fixture.blobs.putPieces(inPieces(Buffer.alloc(0)));
      expect([size, await fixture.other.size(empty)]).toEqual([0, 0]);

      await expect(fixture.blobs.putPieces(brokenOff())).rejects.toThrow('the line is dead');
      expect(await fixture.other.has(digestOf(beginning))).toBe(false);
    });

    it.each([none, '', '../../etc/passwd', 'x'.repeat(64)])('has no contents under %j', async (unknown) => {
      expect(await fixture.blobs.get(unknown)).toBeUndefined();
      expect(await fixture.blobs.has(unknown)).toBe(false);
      expect(await fixture.blobs.size(unknown)).toBeUndefined();
    });

    it('deletes contents, once or twice, and stores them again', async () => {
      await fixture.blobs.put(bytes);
      await fixture.other.delete(digest);
      await fixture.other.delete(digest);

      expect(await fixture.blobs.get(digest)).toBeUndefined();
      expect(await fixture.blobs.put(bytes)).toBe(digest);
      expect(await fixture.other.has(digest)).toBe(true);
    });

    it('lists contents that have been unused for long, and deletes only those', async () => {
      const { blobs, other } = fixture;
      const idle = async (forMs: number) => {
        const found = new Set<string>();
        for await (const one of other.idle(forMs)) found.add(one);
        return found;
      };
      const { digest: another } = await blobs.putPieces(inPieces(Buffer.from('in pieces')));
      await blobs.put(bytes);
      while ((await idle(0)).size < 2);
      expect(await idle(60_000)).toEqual(new Set());

      expect([await other.touch(digest), await other.touch(none)]).toEqual([true, false]);
      await other.deleteIdle(digest, 60_000);
      expect(await blobs.has(digest)).toBe(true);
      await other.deleteIdle(another, 0);
      expect([await blobs.has(another), await other.touch(another)]).toEqual([false, false]);
      await other.deleteIdle(another, 0);
      await other.deleteIdle('../../etc/passwd', 0);
      await blobs.delete(digest);
    });

    it('does not depend on the bytes after they were passed to it', async () => {
      const mine = Uint8Array.from(bytes);
      const given = await fixture.blobs.put(mine);
      mine.fill(0);

      expect(Uint8Array.from((await fixture.blobs.get(given)) ?? [])).toEqual(bytes);
    });
  });
}
