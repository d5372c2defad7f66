/** The commands of the pages for users work, one after the other, as they stand there. */
import { describe, expect, it } from 'vitest';
import { codeBlocks, document } from '../../docs/support/markdown.ts';
import type { Area } from '../scene.ts';

const PAGES = ['networks', 'routers', 'subnet_pools', 'security_groups', 'sharing', 'quotas'];

interface Command {
  readonly line: string;
  readonly member: boolean;
}

/** The lines of the page's shell blocks that call the client. */
function commands(path: string): readonly Command[] {
  return codeBlocks(document(path))
    .filter(({ info }) => /^sh\b/.test(info))
    .flatMap(({ info, code }) =>
      code
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')
        .map((line) => ({ line: line.replace(/^openstack /, ''), member: info.endsWith('as a member') })),
    );
}

export const documents: Area = (cloud) => {
  describe('the pages for users', () => {
    it.each(PAGES)('docs/%s.md has commands that work', async (page) => {
      const { admin, member } = cloud();
      const before = await admin.column('network list');
      const all = commands(`docs/${page}.md`);
      expect(all.length).toBeGreaterThan(4);
      for (const { line, member: asMember } of all) await (asMember ? member : admin).ok(line);
      // They clean up behind themselves.
      expect(await admin.column('network list')).toEqual(before);
    });
  });
};
