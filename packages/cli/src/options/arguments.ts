import { parseDuration } from '@millrace/core/duration';
import type { ConsumeOptions } from '@millrace/runtime';
import { InvalidArgumentError } from 'commander';

/** Parses a duration such as 30s, 15m, 24h or 90d as milliseconds. */
export function durationArgument(text: string): number {
  const ms = durationIn(text);
  if (ms === undefined) throw new InvalidArgumentError('Give a duration such as 30s, 15m, 24h or 90d.');
  return ms;
}

const longestMs = 1_000_000 * 24 * 60 * 60 * 1000;

/** Parses a positive duration of less than a million days as milliseconds; undefined for other texts. */
export function durationIn(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms === undefined || ms === 0 || ms >= longestMs ? undefined : ms;
}

/** Collects the values of a repeatable option in their order. */
export const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];

/** Parses a whole number of at least 1. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 on.');
  return Number(text);
}

/** Parses a point in time; a duration such as 24h means 24 hours ago. */
export function momentArgument(text: string): string {
  const agoMs = durationIn(text);
  if (agoMs !== undefined) return String(Math.round(Date.now() - agoMs));
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('Give a time such as 24h or 2026-01-31T12:00:00Z.');
  return String(at);
}

/** Parses a port; 0 means any free port. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Give a port from 0 to 65535.');
  return Number(text);
}

/** Largest priority: that of `maxPriority` in core, which takes long to load; a test compares both. */
const maxPriority = 1000;

/** Parses the priority of a run. */
export function parsePriority(text: string): number {
  const priority = Number(text);
  if (Number.isInteger(priority) && priority >= 1 && priority <= maxPriority) return priority;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxPriority}.`);
}

/** Maximum number of tags of a run. */
const mostTags = 20;

/** Collects tags of a run, with the limits of the API. */
export function collectTags(tag: string, earlier: string[] = []): string[] {
  if (!/^[^\p{C}\n]{1,64}$/u.test(tag)) throw new InvalidArgumentError('A tag has 1 to 64 characters.');
  if (earlier.length === mostTags) throw new InvalidArgumentError(`A run has at most ${mostTags} tags.`);
  return collect(tag, earlier);
}

/** Pattern of names of queues: `queueName` of core, which takes long to load; a test compares both. */
export const queuePattern = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,48}[A-Za-z0-9])?$/;

/** Parses comma-separated names of queues, or `*` for all; undefined for other texts. */
export function queuesIn(text: string): NonNullable<ConsumeOptions['queues']> | undefined {
  if (text.trim() === '*') return 'all';
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => queuePattern.test(name)) ? [...new Set(names)] : undefined;
}

/** Parses the queues that a worker serves. */
export function parseQueues(text: string): NonNullable<ConsumeOptions['queues']> {
  const queues = queuesIn(text);
  if (queues === undefined) throw new InvalidArgumentError('Give names of queues with commas between, or * for all.');
  return queues;
}

/** Parses the number of a call of an activation. */
export function parseCallNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give the number of a call: 0, 1, …');
}
