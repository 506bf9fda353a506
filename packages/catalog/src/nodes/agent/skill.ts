import type { SkillFolder } from '@millrace/core';
import { parse } from 'yaml';
import { z } from 'zod';

/** A skill as described in the front matter of its SKILL.md. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Path of its SKILL.md. */
  readonly location: string;
  /** Tools that the skill uses; empty if it lists none. */
  readonly allowedTools: readonly string[];
}

const FrontMatter = z.object({
  name: z.string({ error: 'name must be a text' }).trim(),
  description: z
    .string({ error: 'description must be a text' })
    .trim()
    .min(1, { error: 'description must not be empty' }),
  'allowed-tools': z
    .union([z.string().transform((text) => text.split(/\s+/)), z.array(z.string())], {
      error: 'allowed-tools must be a text or a list',
    })
    .nullish(),
  compatibility: z.record(z.string(), z.unknown(), { error: 'compatibility must be a mapping' }).nullish(),
});

/** Parses a skill; returns a text with the problem if it is invalid. */
export function readSkill({ name: folder, location, text }: SkillFolder): Skill | string {
  const written = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.replace(/^\uFEFF/, ''))?.[1];
  if (written === undefined) return `${folder}: SKILL.md does not start with front matter between two lines of ---`;
  const { data, error } = FrontMatter.safeParse(fieldsOf(written));
  if (data === undefined) return `${folder}: ${error.issues[0]?.message ?? 'the front matter cannot be read'}`;
  if (data.name !== folder) return `${folder}: its name "${data.name}" is not that of its folder`;
  const allowedTools = (data['allowed-tools'] ?? []).map((tool) => tool.trim()).filter((tool) => tool !== '');
  return { name: data.name, description: data.description, location, allowedTools };
}

function fieldsOf(written: string): unknown {
  try {
    return parse(written);
  } catch {
    // The schema reports front matter that cannot be parsed.
    return undefined;
  }
}
