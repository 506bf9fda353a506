/** Directories of this machine that a run may speak of. */
export interface Places {
  /** In which runs have their workspaces. */
  readonly workspaces: string;
  readonly skills: string;
}

const workspace = '<WORKSPACE>';
const attachment = 'attachments/<ID>';

/** Returns recorded text with words in the place of the recorded engine's workspaces and of ids that differ each time. */
export const withoutRecordedPlaces = (text: string): string =>
  text
    .replaceAll(/<RUN>\/WareHouse\/[^"'\\\s]*?code_workspace/g, workspace)
    .replaceAll(/\battachments\/ID\d+\b/g, attachment);

/** Returns what a run did with the same words in the place of its own workspaces and ids. */
export function withoutOwnPlaces<T>(value: T, { workspaces, skills }: Places): T {
  const own = new RegExp(`${workspaces.replaceAll(/[^\w/]/g, '\\$&')}/[^"'\\\\\\s]*?code_workspace`, 'g');
  const text = JSON.stringify(value)
    .replaceAll(own, workspace)
    .replaceAll(/\battachments\/[0-9a-f]{32}\b/g, attachment)
    .replaceAll(skills, '<CHATDEV>/.agents/skills');
  return JSON.parse(text);
}
