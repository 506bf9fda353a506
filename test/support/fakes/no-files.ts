import type { Skills, Workspace } from '@millrace/core';

const refuse = () => Promise.reject(new Error('This test expects no files.'));

/** A workspace that must not be used. */
export const noWorkspace: Workspace = {
  directory: '/nowhere',
  find: refuse,
  list: refuse,
  read: refuse,
  write: refuse,
  update: refuse,
  makeFolder: refuse,
  remove: refuse,
  move: refuse,
  copy: refuse,
};

/** A place without skills. */
export const noSkills: Skills = { folders: async () => [], read: refuse };
