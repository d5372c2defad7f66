import { describe, expect, it } from 'vitest';
import { type Attributes, useCloud } from './support.ts';

const people = useCloud('revisions');

const at = ({ revision_number }: Attributes) => ({ 'If-Match': `revision_number=${revision_number}` });

describe('a change that names a revision', () => {
  it('is made on that revision only', async () => {
    const { alice } = people();
    const net = await alice.network();
    const changed = await alice.change('network', net.id, { name: 'a' }, at(net));
    expect(changed.revision_number).toBeGreaterThan(net.revision_number);
    await alice.refused(412, 'RevisionNumberConstraintFailed').change('network', net.id, { name: 'b' }, at(net));
    await alice.refused(412, 'RevisionNumberConstraintFailed').remove('network', net.id, at(net));
    expect((await alice.show('network', net.id)).name).toBe('a');
    await alice.remove('network', net.id, at(changed));
  });

  it('is made once, however many name the revision at once', async () => {
    const { alice } = people();
    const net = await alice.network();
    const port = await alice.port(net);
    const group = await alice.create('security_group', { name: 'g' });
    for (const [path, member, object] of [
      ['networks', 'network', net],
      ['ports', 'port', port],
      ['security-groups', 'security_group', group],
    ] as const) {
      const { revision_number } = await alice.show(member, object.id);
      const sent = [`/${path}/${object.id}`, { [member]: { name: 'x' } }, at({ revision_number })] as const;
      expect(await alice.race(5, 'PUT', ...sent)).toEqual({ 200: 1, 412: 4 });
    }
  });
});

describe('a revision', () => {
  it('grows with every change, of what stands below, too', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    const after = await alice.show('network', net.id);
    expect(after.revision_number).toBeGreaterThan(net.revision_number);
    const group = await alice.create('security_group', { name: 'g' });
    await alice.create('security_group_rule', { security_group_id: group.id, direction: 'ingress', protocol: 'tcp' });
    expect((await alice.show('security_group', group.id)).revision_number).toBeGreaterThan(group.revision_number);
  });
});
