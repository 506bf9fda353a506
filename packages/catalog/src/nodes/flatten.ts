import type { Message } from '@millrace/core';
import { textOf } from '@millrace/core';

/** Messages as one text with a headline each: what people are shown, and what a model gets in prompt mode. */
export const flatten = (messages: readonly Message[]): string =>
  messages
    .map((message) => `=== INPUT FROM ${message.source || 'UNKNOWN'} (${message.role}) ===\n\n${textOf(message)}`)
    .join('\n\n');
