/** A folder with instructions that an agent may read: a SKILL.md, and what that refers to. */
export interface SkillFolder {
  /** The folder's name, which is the skill's name too. */
  readonly name: string;
  /** Where its SKILL.md is, for people and models to read. */
  readonly location: string;
  /** The text of its SKILL.md. */
  readonly text: string;
}

/** The skills that a worker has. */
export interface Skills {
  /** All folders with a SKILL.md, by name. */
  folders(): Promise<readonly SkillFolder[]>;
  /** The bytes of a file in a skill's folder, and nowhere else. */
  read(skill: string, path: string): Promise<Uint8Array>;
}
